package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The outermost forward passes that the probe recorded. */
final class ForwardPasses {
    private static final String NAME = "forward ";

    private ForwardPasses() {}

    /** Returns the rows of those that began in the judged part, in the order of rows. */
    static IntStream judged(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        return Arrays.stream(analysis.rows(RowKind.ANNOTATION))
                .filter(row -> timeline.name(row).startsWith(NAME)
                        && timeline.startNs(row) >= part.startNs()
                        && timeline.startNs(row) < part.endNs());
    }
}

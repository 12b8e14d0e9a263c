package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.cut.TimelineCut;
import java.util.Arrays;

/**
 * Steps without device work in a recording with device work: events may be lost. The profiler's own steps are expected
 * to have device work, but for those at the edges of a part of a recording; these and other steps count only if they
 * launch work and none of it is recorded.
 */
final class StepsHaveDeviceWork extends Check.OfDevices {
    private static final Threshold BLIND_STEPS = Threshold.of("trust.blind-steps.share");

    @Override
    TrustCheck ofDevices(RecordingFacts recorded) {
        Timeline timeline = recorded.timeline();
        Blind blind = new Blind(recorded);
        for (int row : recorded.analysis().rows(RowKind.ANNOTATION)) {
            if (timeline.name(row).startsWith("ProfilerStep#")) {
                blind.look(timeline.startNs(row), timeline.endNs(row), !mayBeCut(recorded, row));
            }
        }
        boolean profiler = blind.steps > 0;
        if (!profiler) {
            for (Step step : recorded.analysis().steps()) {
                blind.look(step.startNs(), step.endNs(), false);
            }
        }
        String detail = part(blind.count, blind.steps, profiler ? "profiler steps" : "steps", "have no device work");
        return blind.count > 0
                ? fail(
                        recorded.shareOfWindow(blind.ns) > recorded.threshold(BLIND_STEPS),
                        detail + ": their device events may be lost",
                        "record fewer steps at once, and " + recorded.recorder().again())
                : pass(detail);
    }

    /** A part that was cut out of a recording may begin or end inside a step. */
    private static boolean mayBeCut(RecordingFacts recorded, int row) {
        Stretch window = recorded.analysis().window();
        Timeline timeline = recorded.timeline();
        return timeline.properties().containsKey(TimelineCut.PART)
                && (timeline.startNs(row) <= window.startNs() || timeline.endNs(row) >= window.endNs());
    }

    /** Steps without device work, and how long they are. */
    private static final class Blind {
        private final RecordingFacts recorded;

        /** Starts of launches with device work, ascending. */
        private final long[] answeredNs;

        private final long[] unansweredNs;
        private long steps;
        private long count;
        private long ns;

        Blind(RecordingFacts recorded) {
            this.recorded = recorded;
            this.answeredNs = launches(recorded, true);
            this.unansweredNs = launches(recorded, false);
        }

        private static long[] launches(RecordingFacts recorded, boolean answered) {
            return Arrays.stream(recorded.analysis().apiCalls())
                    .filter(recorded.analysis()::isLaunch)
                    .filter(row -> recorded.isAnswered(row) == answered)
                    .mapToLong(recorded.timeline()::startNs)
                    .sorted()
                    .toArray();
        }

        void look(long startNs, long endNs, boolean expected) {
            steps++;
            boolean asked = expected
                    || (upTo(unansweredNs, endNs) > upTo(unansweredNs, startNs)
                            && upTo(answeredNs, endNs) == upTo(answeredNs, startNs));
            if (asked && recorded.analysis().busy().totalWithinNs(startNs, endNs) == 0) {
                count++;
                ns += endNs - startNs;
            }
        }

        private static int upTo(long[] sorted, long ns) {
            int found = Arrays.binarySearch(sorted, ns);
            return found < 0 ? -found - 1 : found;
        }
    }
}

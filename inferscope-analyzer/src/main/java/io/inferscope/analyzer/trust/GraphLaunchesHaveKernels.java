package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.RowKind;
import java.util.Arrays;

/** Graph launches without recorded kernels: apparent idle time after them may be compute. */
final class GraphLaunchesHaveKernels extends Check {
    @Override
    TrustCheck of(RecordingFacts recorded) {
        int[] launches = recorded.analysis().rows(RowKind.GRAPH_LAUNCH);
        long empty =
                Arrays.stream(launches).filter(row -> !recorded.isAnswered(row)).count();
        String detail = part(empty, launches.length, "graph launches", "have no replayed kernel");
        return empty > 0
                ? fail(
                        true,
                        detail + ": idle time under them may be compute",
                        "record graph nodes: " + recorded.recorder().inDetail())
                : pass(detail);
    }
}

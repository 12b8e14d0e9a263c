package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.RowKind;

/** Graph launches without recorded kernels: apparent idle time after them may be compute. */
final class GraphLaunchesHaveKernels extends Check {
    GraphLaunchesHaveKernels() {
        super("graph-launches-have-kernels");
    }

    @Override
    TrustCheck of(RecordingFacts recorded) {
        int[] launches = recorded.analysis().rows(RowKind.GRAPH_LAUNCH);
        long empty = 0;
        for (int row : launches) {
            empty += recorded.isAnswered(row) ? 0 : 1;
        }
        String detail = part(empty, launches.length, "graph launches", "have no replayed kernel");
        return empty > 0
                ? fail(
                        true,
                        detail + ": idle time under them may be compute",
                        "record graph nodes: " + recorded.recorder().graphNodes())
                : pass(detail);
    }
}

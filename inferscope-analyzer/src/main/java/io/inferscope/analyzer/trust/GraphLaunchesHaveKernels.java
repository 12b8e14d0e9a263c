package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.RowKind;

/** Graph launches whose kernels are not recorded: what looks idle under them may be compute. */
final class GraphLaunchesHaveKernels extends Check {
    GraphLaunchesHaveKernels() {
        super("graph-launches-have-kernels");
    }

    @Override
    TrustCheck of(Recorded recorded) {
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

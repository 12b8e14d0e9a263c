package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.launch.GraphReplays.Graph;
import io.inferscope.analyzer.launch.GraphReplays.Replay;
import io.inferscope.analyzer.model.ShapeTables.GraphFigures;
import io.inferscope.analyzer.model.ShapeTables.GraphKernel;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The table of the graphs that were replayed. */
final class GraphTable {
    private static final int MOST_GRAPHS = 50;
    private static final int MOST_KERNELS = 10;

    private final Timeline timeline;
    private final DeviceActivity device;
    private final GraphReplays graphs;

    private GraphTable(Analysis analysis, DeviceActivity device) {
        this.timeline = analysis.timeline();
        this.device = device;
        this.graphs = GraphReplays.of(analysis, device);
    }

    /** Returns one line per graph and device, longest first, cut to the longest. */
    static List<GraphFigures> of(Analysis analysis) {
        List<GraphFigures> all = new ArrayList<>();
        for (DeviceActivity device : analysis.devices()) {
            all.addAll(new GraphTable(analysis, device).figures());
        }
        return all;
    }

    private List<GraphFigures> figures() {
        List<GraphFigures> named = new ArrayList<>();
        graphs.graphs().stream()
                .map(this::figures)
                .sorted(Order.<GraphFigures>comparingLong(g -> g.lengthNs() * g.replays())
                        .reversed())
                .limit(MOST_GRAPHS)
                .forEach(figure -> named.add(named(figure, "graph " + (named.size() + 1))));
        return named;
    }

    private GraphFigures figures(Graph graph) {
        Percentiles length = new Percentiles();
        Percentiles busy = new Percentiles();
        Percentiles idle = new Percentiles();
        Percentiles gap = new Percentiles();
        Percentiles launch = new Percentiles();
        long idleNs = 0;
        long gapNs = 0;
        for (Replay replay : graph.replays()) {
            long startNs = timeline.startNs(device.row(replay.operation(0)));
            long lengthNs = replay.endNs() - startNs;
            long busyNs = device.busy().totalWithinNs(startNs, replay.endNs());
            long toNextNs = gapAfter(replay.endNs());
            length.add(lengthNs);
            busy.add(busyNs);
            idle.add(lengthNs - busyNs);
            launch.add(timeline.durationNs(replay.launch()));
            idleNs += lengthNs - busyNs;
            if (toNextNs >= 0) {
                gap.add(toNextNs);
                gapNs += toNextNs;
            }
        }
        Replay first = graph.replays().get(0);
        return new GraphFigures(
                device.id(),
                "",
                timeline.name(first.launch()),
                graph.replays().size(),
                first.size(),
                length.percentile(50),
                busy.percentile(50),
                idle.percentile(50),
                gap.percentileIfAny(50),
                launch.percentile(50),
                idleNs,
                gapNs,
                graph.origin().source().text(),
                kernels(graph));
    }

    private static GraphFigures named(GraphFigures g, String name) {
        return new GraphFigures(
                g.device(),
                name,
                g.call(),
                g.replays(),
                g.operations(),
                g.lengthNs(),
                g.busyNs(),
                g.insideIdleNs(),
                g.gapNs(),
                g.launchNs(),
                g.totalInsideIdleNs(),
                g.totalGapNs(),
                g.source(),
                g.kernels());
    }

    /** Returns how long the device is idle from an instant on, -1 if no operation follows. */
    private long gapAfter(long atNs) {
        Intervals busy = device.busy();
        int next = BinarySearch.first(0, busy.count(), i -> busy.endNs(i) > atNs);
        return next == busy.count() ? -1 : Math.max(0, busy.startNs(next) - atNs);
    }

    private List<GraphKernel> kernels(Graph graph) {
        Map<Integer, Kernel> byName = new HashMap<>();
        for (Replay replay : graph.replays()) {
            for (int i = 0; i < replay.size(); i++) {
                int row = device.row(replay.operation(i));
                Kernel kernel = byName.computeIfAbsent(timeline.nameId(row), n -> new Kernel());
                kernel.count++;
                kernel.totalNs += timeline.durationNs(row);
                int operator = ApiCalls.operatorOf(timeline, graph.origin().launch(i));
                if (operator >= 0) {
                    kernel.operators.add(timeline.nameId(operator));
                }
            }
        }
        List<GraphKernel> kernels = new ArrayList<>();
        byName.forEach((name, kernel) -> kernels.add(new GraphKernel(
                timeline.text(name),
                kernel.operators.mostFrequent(timeline),
                kernel.count / graph.replays().size(),
                kernel.totalNs)));
        kernels.sort(Order.comparingLong(GraphKernel::totalNs).reversed().thenComparing(GraphKernel::name));
        return kernels.subList(0, Math.min(MOST_KERNELS, kernels.size()));
    }

    private static final class Kernel {
        private final IdCounts operators = new IdCounts();
        private long count;
        private long totalNs;
    }
}

package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.activity.ApiCalls;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The time of device operations by the operator that launched them; a single duration is that of one call. */
final class OperatorTimes {
    private final Map<Integer, Long> byCall = new TreeMap<>();
    private long count;
    private long totalNs;

    private OperatorTimes() {}

    /**
     * Returns the times by the operator's name; none if no launch lies inside an operator.
     *
     * @param stretch when the operations start
     */
    static Map<String, Durations> of(Analysis analysis, Stretch stretch) {
        Timeline timeline = analysis.timeline();
        Map<Integer, OperatorTimes> byName = new HashMap<>();
        for (DeviceActivity device : analysis.devices()) {
            GraphReplays graphs = GraphReplays.of(analysis, device);
            for (int i = 0; i < device.operationCount(); i++) {
                int row = device.row(i);
                int call = ApiCalls.operatorOf(timeline, graphs.originOf(i));
                if (call >= 0
                        && timeline.startNs(row) >= stretch.startNs()
                        && timeline.startNs(row) < stretch.endNs()) {
                    byName.computeIfAbsent(timeline.nameId(call), name -> new OperatorTimes())
                            .add(call, timeline.durationNs(row));
                }
            }
        }
        Map<String, Durations> durations = new TreeMap<>();
        byName.forEach((name, times) ->
                durations.put(timeline.text(name), new Durations(times.count, times.totalNs, times::inTimeOrderNs)));
        return durations;
    }

    private void add(int call, long ns) {
        byCall.merge(call, ns, Long::sum);
        count++;
        totalNs += ns;
    }

    /** Rows of a thread are in the order of their starts; most programs launch from one thread. */
    private long[] inTimeOrderNs() {
        return byCall.values().stream().mapToLong(Long::longValue).toArray();
    }
}

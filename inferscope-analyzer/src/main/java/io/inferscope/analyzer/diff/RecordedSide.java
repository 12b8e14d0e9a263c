package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A recording with every event.
 *
 * @param analysis what is computed from it
 * @param report the report on it
 */
record RecordedSide(Analysis analysis, Report report) implements Side {
    Timeline timeline() {
        return analysis.timeline();
    }

    @Override
    public String title() {
        return report.title();
    }

    @Override
    public Optional<AnalyzedReport> explained() {
        return Optional.of(new AnalyzedReport(analysis, report));
    }

    @Override
    public String format() {
        return timeline().info().format();
    }

    @Override
    public ReportedSide reported() {
        return new ReportedSide(report, format(), title());
    }

    @Override
    public Map<String, StepLengths> steps(Stretch stretch) {
        Map<String, List<Long>> byLabel = new TreeMap<>();
        for (Step step : within(stretch)) {
            byLabel.computeIfAbsent(step.label(), label -> new ArrayList<>()).add(step.durationNs());
        }
        Map<String, StepLengths> steps = new TreeMap<>();
        byLabel.forEach((label, durationsNs) -> steps.put(label, StepLengths.of(durationsNs)));
        return steps;
    }

    @Override
    public StepLengths rounds(String label, Stretch stretch) {
        List<Long> durationsNs = new ArrayList<>();
        long fromNs = stretch.startNs();
        for (Step step : within(stretch)) {
            if (step.label().equals(label)) {
                durationsNs.add(step.endNs() - fromNs);
                fromNs = step.endNs();
            }
        }
        return StepLengths.of(durationsNs);
    }

    @Override
    public Map<String, StepLengths> requests(Stretch stretch) {
        Map<String, StepLengths> requests = new TreeMap<>();
        durations(EntityKind.REQUESTS, stretch)
                .forEach((name, lengths) ->
                        requests.put(name, StepLengths.of(lengths.single().inTimeOrderNs())));
        return requests;
    }

    @Override
    public Side withoutRecording() {
        Stretch stretch = Unit.judged(this);
        Map<String, StepLengths> steps = steps(stretch);
        Map<String, StepLengths> rounds = new TreeMap<>();
        steps.keySet().forEach(label -> rounds.put(label, rounds(label, stretch)));
        return new ReportedSide(report, format(), title(), steps, rounds, requests(stretch));
    }

    private List<Step> within(Stretch stretch) {
        return analysis.steps().stream()
                .filter(step -> stretch.holds(step.startNs() + step.durationNs() / 2))
                .toList();
    }

    @Override
    public Map<String, Durations> durations(EntityKind things, Stretch stretch) {
        return things == EntityKind.DEVICE_TIME
                ? OperatorTimes.of(analysis, stretch)
                : Occurrences.of(timeline(), stretch, things::isKind, things::name);
    }

    /** The time of device operations by the operator that launched them; a single duration is that of one call. */
    private static final class OperatorTimes {
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
                    if (call >= 0 && stretch.holds(timeline.startNs(row))) {
                        byName.computeIfAbsent(timeline.nameId(call), name -> new OperatorTimes())
                                .add(call, timeline.durationNs(row));
                    }
                }
            }
            Map<String, Durations> durations = new TreeMap<>();
            byName.forEach((name, times) -> durations.put(
                    timeline.text(name), new Durations(times.count, times.totalNs, times::inTimeOrderNs)));
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
}

package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.OperatorFigures;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tables about the host: scopes, operators, threads. */
public final class HostFigures {
    private static final int LARGEST = 50;

    private HostFigures() {}

    /** Returns the innermost operator around a launch call, -1 for none. */
    static int operatorOf(Timeline timeline, int launch) {
        for (int row = launch < 0 ? -1 : timeline.parent(launch); row >= 0; row = timeline.parent(row)) {
            if (timeline.kind(row) == RowKind.OPERATOR) {
                return row;
            }
        }
        return -1;
    }

    /** Returns one line per annotation name, longest first. */
    public static List<ScopeFigures> scopes(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Intervals busy = Intervals.EMPTY;
        for (DeviceActivity device : analysis.devices()) {
            busy = busy.union(device.busy());
        }
        Map<Integer, ScopeTotals> byName = new HashMap<>();
        for (Track thread : analysis.threads().all()) {
            NestedRows nested = new NestedRows(timeline, RowKind.ANNOTATION, thread.id());
            for (int row = timeline.firstRow(thread.id()); row < timeline.endRow(thread.id()); row++) {
                if (timeline.kind(row) == RowKind.ANNOTATION) {
                    scope(byName, timeline.nameId(row)).add(analysis, row, nested.isRecursive(row), busy);
                    if (nested.nearest(row) >= 0) {
                        scope(byName, timeline.nameId(nested.nearest(row))).selfNs -= timeline.durationNs(row);
                    }
                }
            }
        }
        List<ScopeFigures> figures = new ArrayList<>();
        byName.forEach((name, totals) -> figures.add(totals.figures(timeline.text(name), analysis)));
        figures.sort(Comparator.comparingLong(ScopeFigures::wallNs).reversed().thenComparing(ScopeFigures::name));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }

    private static ScopeTotals scope(Map<Integer, ScopeTotals> byName, int name) {
        return byName.computeIfAbsent(name, n -> new ScopeTotals());
    }

    private static final class ScopeTotals {
        private int firstRow = -1;
        private long count;
        private long wallNs;
        private long selfNs;
        private long onCpuNs;
        private boolean hasCpu;
        private long deviceBusyNs;

        void add(Analysis analysis, int row, boolean recursive, Intervals busy) {
            Timeline timeline = analysis.timeline();
            firstRow = firstRow < 0 ? row : firstRow;
            selfNs += timeline.durationNs(row);
            if (recursive) {
                return;
            }
            count++;
            wallNs += timeline.durationNs(row);
            deviceBusyNs += busy.totalWithinNs(timeline.startNs(row), timeline.endNs(row));
            ThreadActivity thread = analysis.threads().activity(timeline.track(row));
            if (thread.hasCpuTime()) {
                hasCpu = true;
                thread.cover(timeline.startNs(row), timeline.endNs(row), (ns, at, cls, state, basis) -> {
                    if (state == ThreadState.RUNNING) {
                        onCpuNs += ns;
                    }
                });
            }
        }

        ScopeFigures figures(String name, Analysis analysis) {
            LedgerClass ledgerClass = analysis.classify(firstRow);
            return new ScopeFigures(
                    name,
                    analysis.where(firstRow),
                    ledgerClass,
                    count,
                    wallNs,
                    Math.max(0, selfNs),
                    hasCpu ? onCpuNs : -1,
                    deviceBusyNs,
                    analysis.devices().isEmpty() ? 0 : wallNs - deviceBusyNs);
        }
    }

    /** Returns one line per operator name, longest first, cut to the largest. */
    public static List<OperatorFigures> operators(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<Integer, OperatorTotals> byName = new HashMap<>();
        for (Track thread : analysis.threads().all()) {
            NestedRows nested = new NestedRows(timeline, RowKind.OPERATOR, thread.id());
            for (int row = timeline.firstRow(thread.id()); row < timeline.endRow(thread.id()); row++) {
                if (timeline.kind(row) == RowKind.OPERATOR) {
                    int parent = nested.nearest(row);
                    totals(byName, timeline.nameId(row)).add(timeline, row, nested.isRecursive(row));
                    if (parent >= 0) {
                        totals(byName, timeline.nameId(parent)).selfNs -= timeline.durationNs(row);
                    }
                }
            }
        }
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                int operator = operatorOf(timeline, device.launch(i));
                if (operator >= 0) {
                    OperatorTotals totals = totals(byName, timeline.nameId(operator));
                    totals.deviceNs += timeline.durationNs(device.row(i));
                    totals.launches++;
                }
            }
        }
        List<OperatorFigures> figures = new ArrayList<>();
        byName.forEach((name, totals) -> figures.add(totals.figures(timeline.text(name))));
        figures.sort(
                Comparator.comparingLong(OperatorFigures::totalNs).reversed().thenComparing(OperatorFigures::name));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }

    private static OperatorTotals totals(Map<Integer, OperatorTotals> byName, int name) {
        return byName.computeIfAbsent(name, n -> new OperatorTotals());
    }

    private static final class OperatorTotals {
        private final Map<String, Integer> dims = new HashMap<>();
        private long count;
        private long totalNs;
        private long selfNs;
        private long deviceNs;
        private long launches;

        void add(Timeline timeline, int row, boolean recursive) {
            count++;
            selfNs += timeline.durationNs(row);
            totalNs += recursive ? 0 : timeline.durationNs(row);
            String inputs = timeline.attributeText(row, Attribute.INPUT_DIMS);
            if (!inputs.isEmpty()) {
                dims.merge(inputs, 1, Integer::sum);
            }
        }

        OperatorFigures figures(String name) {
            String mostFrequent = dims.entrySet().stream()
                    .max(Map.Entry.<String, Integer>comparingByValue()
                            .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                    .map(Map.Entry::getKey)
                    .orElse("");
            return new OperatorFigures(name, count, totalNs, Math.max(0, selfNs), deviceNs, launches, mostFrequent);
        }
    }

    /** Returns one line per host thread: most CPU time first, else most recorded activity. */
    public static List<ThreadFigures> threads(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<Integer, Long> launches = new HashMap<>();
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                if (device.launch(i) >= 0) {
                    launches.merge(timeline.track(device.launch(i)), 1L, Long::sum);
                }
            }
        }
        List<ThreadFigures> figures = new ArrayList<>();
        for (Track thread : analysis.threads().all()) {
            Track process = timeline.tracks().get(thread.parent());
            figures.add(new ThreadFigures(
                    process.name().equals(process.key()) ? process.key() : process.key() + " (" + process.name() + ")",
                    Threads.label(timeline, thread.id()),
                    analysis.threads().stateTotalNs(thread.id(), Attribute.ON_CPU_NS),
                    analysis.threads().stateTotalNs(thread.id(), Attribute.RUNNABLE_NS),
                    analysis.threads().activity(thread.id()).recordedNs(),
                    launches.getOrDefault(thread.id(), 0L)));
        }
        figures.sort(Comparator.comparingLong(ThreadFigures::onCpuNs)
                .thenComparingLong(ThreadFigures::recordedNs)
                .reversed()
                .thenComparing(ThreadFigures::process)
                .thenComparing(ThreadFigures::thread));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }
}

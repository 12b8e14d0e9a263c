package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.RangeCalls;
import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.OperatorFigures;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tables about the host: scopes, operators, threads. */
public final class HostFigures {
    private static final int LARGEST = 50;

    private HostFigures() {}

    /** The whole recording. */
    static final Stretch ALL = new Stretch(Long.MIN_VALUE, Long.MAX_VALUE);

    /** Returns whether any of a row lies in a part of the recording. */
    static boolean isWithin(Timeline timeline, int row, Stretch part) {
        boolean ends = timeline.endNs(row) > part.startNs() || timeline.startNs(row) >= part.startNs();
        return ends && timeline.startNs(row) < part.endNs();
    }

    /** Returns how much of a row lies in a part of the recording, in ns. */
    static long withinNs(Timeline timeline, int row, Stretch part) {
        return part.overlapNs(timeline.startNs(row), timeline.endNs(row));
    }

    /** Returns how long a thread was on a CPU while a sample counts: native stacks last until the next one. */
    static long workedNs(Analysis analysis, int sample, Stretch part) {
        Timeline timeline = analysis.timeline();
        long fromNs = Math.max(timeline.startNs(sample), part.startNs());
        long toNs = Math.min(timeline.endNs(sample), part.endNs());
        ThreadActivity thread = analysis.threads().activity(timeline.track(sample));
        return thread.hasCpuTime() ? thread.onCpuNs(fromNs, toNs) : toNs - fromNs;
    }

    /** Returns one line per annotation name, longest first, of a part of the recording. */
    static List<ScopeFigures> scopes(Analysis analysis, Stretch part) {
        Timeline timeline = analysis.timeline();
        int[] rows = threadRows(analysis, RowKind.ANNOTATION, part);
        NestedRows nested = new NestedRows(timeline, RowKind.ANNOTATION, rows);
        RangeCalls calls = new RangeCalls(timeline);
        Map<Integer, ScopeTotals> byName = new HashMap<>();
        for (int row : rows) {
            scope(byName, timeline.nameId(row)).add(analysis, calls, row, nested.isRecursive(row), part);
            if (nested.nearest(row) >= 0) {
                scope(byName, timeline.nameId(nested.nearest(row))).selfNs -= withinNs(timeline, row, part);
            }
        }
        List<ScopeFigures> figures = new ArrayList<>();
        byName.forEach((name, totals) -> figures.add(totals.figures(timeline.text(name), analysis)));
        figures.sort(Order.comparingLong(ScopeFigures::wallNs).reversed().thenComparing(ScopeFigures::name));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }

    private static int[] threadRows(Analysis analysis, RowKind kind, Stretch part) {
        Timeline timeline = analysis.timeline();
        return Arrays.stream(analysis.rows(kind))
                .filter(row -> timeline.tracks().get(timeline.track(row)).kind() == TrackKind.THREAD)
                .filter(row -> isWithin(timeline, row, part))
                .toArray();
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
        private boolean own;
        private long judgedNs;

        void add(Analysis analysis, RangeCalls calls, int row, boolean recursive, Stretch part) {
            Timeline timeline = analysis.timeline();
            // Compared by time, because rows are ordered by thread id first.
            firstRow = firstRow < 0 || timeline.startNs(row) < timeline.startNs(firstRow) ? row : firstRow;
            selfNs += withinNs(timeline, row, part);
            own |= timeline.attribute(row, Attribute.USER_SCOPE) == 1;
            if (recursive) {
                return;
            }
            if (calls.first(row) == row) {
                count++;
                wallNs += part.overlapNs(calls.startNs(row), calls.endNs(row));
                if (analysis.subjectThread() < 0 || analysis.isJudged(timeline.track(row))) {
                    judgedNs += analysis.judgedHostStretch().overlapNs(calls.startNs(row), calls.endNs(row));
                }
                deviceBusyNs += analysis.busy()
                        .totalWithinNs(
                                Math.max(calls.startNs(row), part.startNs()), Math.min(calls.endNs(row), part.endNs()));
            }
            ThreadActivity thread = analysis.threads().activity(timeline.track(row));
            if (thread.hasCpuTime()) {
                hasCpu = true;
                long fromNs = Math.max(timeline.startNs(row), part.startNs());
                onCpuNs += thread.onCpuNs(fromNs, Math.min(timeline.endNs(row), part.endNs()));
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
                    hasCpu ? onCpuNs : null,
                    deviceBusyNs,
                    analysis.devices().isEmpty() ? 0 : wallNs - deviceBusyNs,
                    own,
                    judgedNs);
        }
    }

    /** Returns one line per operator name, longest first, cut to the largest, of a part of the recording. */
    static List<OperatorFigures> operators(Analysis analysis, Stretch part) {
        Timeline timeline = analysis.timeline();
        int[] rows = threadRows(analysis, RowKind.OPERATOR, part);
        NestedRows nested = new NestedRows(timeline, RowKind.OPERATOR, rows);
        @Nullable OperatorTotals[] byName = new @Nullable OperatorTotals[timeline.nameCount()];
        for (int row : rows) {
            int parent = nested.nearest(row);
            totals(byName, timeline.nameId(row)).add(timeline, row, nested.isRecursive(row), part);
            if (parent >= 0) {
                totals(byName, timeline.nameId(parent)).selfNs -= withinNs(timeline, row, part);
            }
        }
        addDeviceTime(analysis, byName);
        List<OperatorTotals> longest = Arrays.stream(byName)
                .filter(Objects::nonNull)
                .sorted(Order.<OperatorTotals>comparingLong(t -> t.totalNs)
                        .reversed()
                        .thenComparing(t -> timeline.text(t.name)))
                .limit(LARGEST)
                .toList();
        return longest.stream().map(t -> t.figures(timeline)).toList();
    }

    private static void addDeviceTime(Analysis analysis, @Nullable OperatorTotals[] byName) {
        Timeline timeline = analysis.timeline();
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                int operator = ApiCalls.operatorOf(timeline, device.launch(i));
                if (operator >= 0) {
                    OperatorTotals totals = totals(byName, timeline.nameId(operator));
                    totals.deviceNs += timeline.durationNs(device.row(i));
                    totals.launches++;
                }
            }
        }
    }

    private static OperatorTotals totals(@Nullable OperatorTotals[] byName, int name) {
        OperatorTotals totals = byName[name];
        if (totals == null) {
            totals = new OperatorTotals(name);
            byName[name] = totals;
        }
        return totals;
    }

    private static final class OperatorTotals {
        private final int name;
        private final IdCounts dims = new IdCounts();
        private long count;
        private long totalNs;
        private long selfNs;
        private long deviceNs;
        private long launches;

        OperatorTotals(int name) {
            this.name = name;
        }

        void add(Timeline timeline, int row, boolean recursive, Stretch part) {
            count++;
            selfNs += withinNs(timeline, row, part);
            totalNs += recursive ? 0 : withinNs(timeline, row, part);
            long inputs = timeline.attribute(row, Attribute.INPUT_DIMS);
            if (inputs != Attribute.ABSENT && !timeline.text(inputs).isEmpty()) {
                dims.add((int) inputs);
            }
        }

        OperatorFigures figures(Timeline timeline) {
            return new OperatorFigures(
                    timeline.text(name),
                    count,
                    totalNs,
                    Math.max(0, selfNs),
                    deviceNs,
                    launches,
                    dims.mostFrequent(timeline));
        }
    }

    /** Returns one line per host thread, by CPU time if recorded, otherwise by recorded activity; largest first. */
    static List<ThreadFigures> threads(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        long[] launches = new long[timeline.tracks().size()];
        for (DeviceActivity device : analysis.devices()) {
            device.launches().forEach(launch -> launches[timeline.track(launch)]++);
        }
        List<ThreadFigures> figures = new ArrayList<>();
        for (Track thread : analysis.threads().all()) {
            figures.add(new ThreadFigures(
                    Threads.process(timeline, thread.id()),
                    Threads.label(timeline, thread.id()),
                    stateNs(analysis, thread.id(), Attribute.ON_CPU_NS),
                    stateNs(analysis, thread.id(), Attribute.RUNNABLE_NS),
                    analysis.threads().activity(thread.id()).recordedNs(),
                    launches[thread.id()]));
        }
        figures.sort(Order.comparing(ThreadFigures::onCpuNs, Comparator.nullsFirst(Comparator.naturalOrder()))
                .thenComparingLong(ThreadFigures::recordedNs)
                .reversed()
                .thenComparing(ThreadFigures::process)
                .thenComparing(ThreadFigures::thread));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }

    private static @Nullable Long stateNs(Analysis analysis, int thread, Attribute attribute) {
        long ns = analysis.threads().stateTotalNs(thread, attribute);
        return ns < 0 ? null : ns;
    }
}

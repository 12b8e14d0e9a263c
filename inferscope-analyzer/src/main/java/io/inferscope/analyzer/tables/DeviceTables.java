package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.knowledge.KernelNames;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tables about devices: what ran, what was copied, how launching went. */
final class DeviceTables {
    private static final int LARGEST = 50;

    private DeviceTables() {}

    /** Returns one line per device. */
    static List<DeviceFigures> devices(Analysis analysis) {
        return analysis.devices().stream()
                .map(device -> figuresOf(analysis, device))
                .toList();
    }

    private static DeviceFigures figuresOf(Analysis analysis, DeviceActivity device) {
        String[] groups = {"compute", "comm", "h2d", "d2h", "other"};
        Map<String, Long> operations = new LinkedHashMap<>();
        for (int i = 0; i < groups.length; i++) {
            if (device.count(i) > 0) {
                operations.put(groups[i], device.count(i));
            }
        }
        Intervals idle = device.busy().complementWithin(device.firstNs(), device.lastNs());
        long busyNs = device.busy().totalNs();
        String name = DeviceFact.NAME.of(analysis.timeline(), device.id());
        return new DeviceFigures(
                device.id(),
                name,
                operations,
                device.firstNs(),
                device.lastNs(),
                device.lastNs() - device.firstNs(),
                busyNs,
                idle.totalNs(),
                analysis.window().durationNs() - busyNs,
                device.compute().totalNs(),
                device.exposed(LedgerClass.GPU_COMMUNICATION).totalNs(),
                device.exposed(LedgerClass.COPY_H2D).totalNs(),
                device.exposed(LedgerClass.COPY_D2H).totalNs(),
                device.exposed(LedgerClass.COPY_OTHER).totalNs(),
                idle.count(),
                idle.longestNs());
    }

    /** Returns one line per device on its launches. */
    static List<LaunchFigures> launches(Analysis analysis) {
        List<LaunchFigures> figures = new ArrayList<>();
        for (DeviceActivity device : analysis.devices()) {
            Percentiles latency = new Percentiles();
            Percentiles queueDelay = new Percentiles();
            long unlaunched = 0;
            long replayed = 0;
            for (int i = 0; i < device.operationCount(); i++) {
                unlaunched += device.launch(i) < 0 ? 1 : 0;
                replayed += device.isGraphReplay(i) ? 1 : 0;
                if (device.isLaunchedAlone(i)) {
                    latency.add(Math.max(0, device.launchLatencyNs(i)));
                    queueDelay.add(Math.max(0, device.queueDelayNs(i)));
                }
            }
            figures.add(new LaunchFigures(
                    device.id(),
                    device.operationCount(),
                    unlaunched,
                    replayed,
                    latency.percentileIfAny(0),
                    latency.percentileIfAny(50),
                    latency.percentileIfAny(95),
                    queueDelay.percentileIfAny(50)));
        }
        return figures;
    }

    /** Returns one line per kernel name, longest first, cut to the largest. */
    static List<KernelFigures> kernels(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        List<KernelSamples> kernels = new ArrayList<>();
        for (DeviceActivity device : analysis.devices()) {
            GraphReplays graphs = GraphReplays.of(analysis, device);
            @Nullable KernelSamples[] byName = new @Nullable KernelSamples[timeline.nameCount()];
            for (int i = 0; i < device.operationCount(); i++) {
                if (timeline.kind(device.row(i)) == RowKind.KERNEL) {
                    int name = timeline.nameId(device.row(i));
                    KernelSamples samples = byName[name];
                    if (samples == null) {
                        samples = new KernelSamples(timeline, device, name);
                        byName[name] = samples;
                        kernels.add(samples);
                    }
                    samples.add(i, ApiCalls.operatorOf(timeline, graphs.originOf(i)));
                }
            }
        }
        kernels.sort(Order.<KernelSamples>comparingLong(k -> k.totalNs)
                .reversed()
                .thenComparing(k -> timeline.text(k.name))
                .thenComparing(k -> k.device.id()));
        KernelNames names = analysis.kernelNames();
        return kernels.stream()
                .limit(LARGEST)
                .map(samples -> samples.figures(names))
                .toList();
    }

    private static final class KernelSamples {
        private final Timeline timeline;
        private final DeviceActivity device;
        private final int name;
        private final Percentiles latency = new Percentiles();
        private final Percentiles queueDelay = new Percentiles();
        private final IdCounts operators = new IdCounts();
        private boolean communication;
        private long count;
        private long totalNs;
        private long minNs = Long.MAX_VALUE;
        private long maxNs = Long.MIN_VALUE;

        KernelSamples(Timeline timeline, DeviceActivity device, int name) {
            this.timeline = timeline;
            this.device = device;
            this.name = name;
        }

        void add(int index, int operator) {
            long durationNs = timeline.durationNs(device.row(index));
            count++;
            totalNs += durationNs;
            minNs = Math.min(minNs, durationNs);
            maxNs = Math.max(maxNs, durationNs);
            communication = device.isCommunication(device.row(index));
            if (device.isLaunchedAlone(index)) {
                latency.add(Math.max(0, device.launchLatencyNs(index)));
                queueDelay.add(Math.max(0, device.queueDelayNs(index)));
            }
            if (operator >= 0) {
                operators.add(timeline.nameId(operator));
            }
        }

        KernelFigures figures(KernelNames names) {
            return new KernelFigures(
                    timeline.text(name),
                    device.id(),
                    communication,
                    count,
                    totalNs,
                    minNs,
                    maxNs,
                    latency.percentileIfAny(50),
                    queueDelay.percentileIfAny(50),
                    operators.mostFrequent(timeline),
                    names.category(name),
                    names.library(name));
        }
    }

    /** Returns one line per device, direction and kinds of memory, longest first. */
    static List<CopyFigures> copies(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<CopyKey, CopyFigures> byKey = new HashMap<>();
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                int row = device.row(i);
                if (timeline.kind(row) != RowKind.KERNEL) {
                    CopyKey key = new CopyKey(
                            device.id(),
                            direction(timeline.kind(row)),
                            timeline.attributeText(row, Attribute.MEMORY_KINDS));
                    long durationNs = timeline.durationNs(row);
                    long recorded = timeline.attribute(row, Attribute.SIZE_BYTES);
                    Long sizeBytes = recorded < 0 ? null : recorded;
                    byKey.merge(
                            key,
                            new CopyFigures(key.device, key.direction, key.kinds, 1, sizeBytes, durationNs, durationNs),
                            DeviceTables::plus);
                }
            }
        }
        List<CopyFigures> figures = new ArrayList<>(byKey.values());
        figures.sort(Order.comparingLong(CopyFigures::totalNs)
                .reversed()
                .thenComparing(CopyFigures::device)
                .thenComparing(CopyFigures::direction)
                .thenComparing(CopyFigures::memoryKinds));
        return figures;
    }

    private record CopyKey(String device, CopyDirection direction, String kinds) {
        // Hand-written: a record's generated methods are linked at their first call, which slows start-up.
        @Override
        public boolean equals(Object other) {
            return other instanceof CopyKey that
                    && device.equals(that.device)
                    && direction.equals(that.direction)
                    && kinds.equals(that.kinds);
        }

        @Override
        public int hashCode() {
            return (device.hashCode() * 31 + direction.hashCode()) * 31 + kinds.hashCode();
        }
    }

    private static CopyFigures plus(CopyFigures a, CopyFigures b) {
        boolean sized = a.sizeBytes() != null || b.sizeBytes() != null;
        return new CopyFigures(
                a.device(),
                a.direction(),
                a.memoryKinds(),
                a.count() + b.count(),
                sized ? a.recordedBytes() + b.recordedBytes() : null,
                a.totalNs() + b.totalNs(),
                Math.max(a.maxNs(), b.maxNs()));
    }

    private static CopyDirection direction(RowKind kind) {
        return switch (kind) {
            case MEMCPY_H2D -> CopyDirection.H2D;
            case MEMCPY_D2H -> CopyDirection.D2H;
            case MEMCPY_D2D -> CopyDirection.D2D;
            case MEMCPY_P2P -> CopyDirection.P2P;
            case MEMSET -> CopyDirection.MEMSET;
            default -> CopyDirection.OTHER;
        };
    }
}

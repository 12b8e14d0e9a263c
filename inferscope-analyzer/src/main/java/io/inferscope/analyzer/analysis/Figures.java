package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tables about devices: what ran, what was copied, how launching went. */
public final class Figures {
    private static final int LARGEST = 50;

    private Figures() {}

    /** Returns one line per device. */
    public static List<DeviceFigures> devices(Analysis analysis) {
        List<DeviceFigures> figures = new ArrayList<>();
        for (DeviceActivity device : analysis.devices()) {
            figures.add(figuresOf(analysis, device));
        }
        return figures;
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
        String name = analysis.timeline().properties().getOrDefault("device." + device.id() + ".name", "");
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
    public static List<LaunchFigures> launches(Analysis analysis) {
        List<LaunchFigures> figures = new ArrayList<>();
        for (DeviceActivity device : analysis.devices()) {
            Samples latency = new Samples();
            Samples queueDelay = new Samples();
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
                    latency.percentile(0),
                    latency.percentile(50),
                    latency.percentile(95),
                    queueDelay.percentile(50)));
        }
        return figures;
    }

    /** Returns one line per kernel name, longest first, cut to the largest. */
    public static List<KernelFigures> kernels(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        List<KernelFigures> figures = new ArrayList<>();
        for (DeviceActivity device : analysis.devices()) {
            Map<Integer, KernelSamples> byName = new HashMap<>();
            for (int i = 0; i < device.operationCount(); i++) {
                int row = device.row(i);
                if (timeline.kind(row) == RowKind.KERNEL) {
                    byName.computeIfAbsent(timeline.nameId(row), n -> new KernelSamples())
                            .add(timeline, device, i);
                }
            }
            byName.forEach((name, samples) -> figures.add(samples.figures(timeline.text(name), device)));
        }
        figures.sort(Comparator.comparingLong(KernelFigures::totalNs)
                .reversed()
                .thenComparing(KernelFigures::name)
                .thenComparing(KernelFigures::device));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }

    private static final class KernelSamples {
        private final Samples durations = new Samples();
        private final Samples latency = new Samples();
        private final Samples queueDelay = new Samples();
        private final Map<String, Integer> operators = new HashMap<>();
        private boolean communication;

        void add(Timeline timeline, DeviceActivity device, int index) {
            durations.add(timeline.durationNs(device.row(index)));
            communication = device.isCommunication(device.row(index));
            if (device.isLaunchedAlone(index)) {
                latency.add(Math.max(0, device.launchLatencyNs(index)));
                queueDelay.add(Math.max(0, device.queueDelayNs(index)));
            }
            int operator = HostFigures.operatorOf(timeline, device.launch(index));
            if (operator >= 0) {
                operators.merge(timeline.name(operator), 1, Integer::sum);
            }
        }

        KernelFigures figures(String name, DeviceActivity device) {
            String operator = operators.entrySet().stream()
                    .max(Map.Entry.<String, Integer>comparingByValue()
                            .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                    .map(Map.Entry::getKey)
                    .orElse("");
            return new KernelFigures(
                    name,
                    device.id(),
                    communication,
                    durations.count(),
                    durations.total(),
                    durations.percentile(0),
                    durations.percentile(100),
                    latency.percentile(50),
                    queueDelay.percentile(50),
                    operator);
        }
    }

    /** Returns one line per device, direction and kinds of memory, longest first. */
    public static List<CopyFigures> copies(Analysis analysis) {
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
                    long sizeBytes = Math.max(-1, timeline.attribute(row, Attribute.SIZE_BYTES));
                    byKey.merge(
                            key,
                            new CopyFigures(key.device, key.direction, key.kinds, 1, sizeBytes, durationNs, durationNs),
                            Figures::plus);
                }
            }
        }
        List<CopyFigures> figures = new ArrayList<>(byKey.values());
        figures.sort(Comparator.comparingLong(CopyFigures::totalNs)
                .reversed()
                .thenComparing(CopyFigures::device)
                .thenComparing(CopyFigures::direction)
                .thenComparing(CopyFigures::memoryKinds));
        return figures;
    }

    private record CopyKey(String device, String direction, String kinds) {}

    private static CopyFigures plus(CopyFigures a, CopyFigures b) {
        boolean sized = a.sizeBytes() >= 0 || b.sizeBytes() >= 0;
        return new CopyFigures(
                a.device(),
                a.direction(),
                a.memoryKinds(),
                a.count() + b.count(),
                sized ? Math.max(0, a.sizeBytes()) + Math.max(0, b.sizeBytes()) : -1,
                a.totalNs() + b.totalNs(),
                Math.max(a.maxNs(), b.maxNs()));
    }

    private static String direction(RowKind kind) {
        return switch (kind) {
            case MEMCPY_H2D -> "H2D";
            case MEMCPY_D2H -> "D2H";
            case MEMCPY_D2D -> "D2D";
            case MEMCPY_P2P -> "P2P";
            case MEMSET -> "memset";
            default -> "other";
        };
    }
}

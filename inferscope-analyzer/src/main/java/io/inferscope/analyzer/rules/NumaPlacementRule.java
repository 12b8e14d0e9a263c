package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.MemoryKind;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Reports processes that run far from their GPU, where that is measured to be slower. Basis and threshold:
 * docs/rules/numa-placement.md.
 */
final class NumaPlacementRule extends Rule {
    /** A device whose process has a known NUMA node, and the rate of copies to it; 0 without large copies. */
    private record Placed(String device, String process, int ran, int gpu, double bytesPerSecond) {
        boolean far() {
            return ran != gpu;
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        if (!analysis.timeline().properties().containsKey("run.host.numa")) {
            return new Verdict.NotApplicable("the machine has one memory node, or its nodes are not recorded");
        }
        List<Placed> placed = placed(analysis);
        List<Placed> far = placed.stream().filter(Placed::far).toList();
        if (placed.isEmpty()) {
            return new Verdict.NotApplicable(
                    "where the processes ran, or at which node their GPUs are, is not recorded");
        }
        if (far.isEmpty()) {
            return Verdict.clean("every process runs at the node of its GPU");
        }
        double near = placed.stream()
                .filter(p -> !p.far())
                .mapToDouble(Placed::bytesPerSecond)
                .max()
                .orElse(0);
        Placed slowest = Collections.min(far, Order.comparingDouble(Placed::bytesPerSecond));
        boolean compared = near > 0 && slowest.bytesPerSecond > 0;
        if (!compared || slowest.bytesPerSecond > (1 - limit(analysis, "slower")) * near) {
            return Verdict.clean(far.size() + " processes run far from their GPU; "
                    + (compared
                            ? "their copies are as fast as those of the others"
                            : "nothing measured says that it costs anything"));
        }
        return Verdict.found(finding(analysis, slowest, near));
    }

    private FindingBuilder finding(Analysis analysis, Placed slowest, double near) {
        return finding(analysis.ledger(), 0)
                .severity(Severity.WARNING)
                .measure("process", slowest.process)
                .measure("ran", Integer.toString(slowest.ran))
                .measure("device", slowest.device)
                .measure("gpu", Integer.toString(slowest.gpu))
                .measure("rate", Units.rate(slowest.bytesPerSecond))
                .measure("near", Units.rate(near))
                .quantity("rate of copies to the far GPU", slowest.bytesPerSecond, "bytes/s")
                .quantity("rate of copies to a near GPU", near, "bytes/s")
                .advice(analysis)
                .noGainByItself("how much of the copies is waited for is in the other findings");
    }

    private List<Placed> placed(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        List<Placed> placed = new ArrayList<>();
        for (DeviceActivity device : analysis.devices()) {
            String process = process(analysis, device);
            int ran = (int) timeline.number(ProcessFact.NODE.property(process), -1);
            int node = (int) timeline.number("run.host.gpu." + device.id() + ".node", -1);
            if (ran >= 0 && node >= 0) {
                placed.add(new Placed(device.id(), process, ran, node, copyRate(analysis, device)));
            }
        }
        return placed;
    }

    /**
     * Returns the key of the process that launched the device's first operation with a recorded launch, empty without
     * any.
     */
    private static String process(Analysis analysis, DeviceActivity device) {
        Timeline timeline = analysis.timeline();
        return device.launches()
                .mapToObj(launch -> timeline.tracks().get(timeline.track(launch)))
                .map(thread -> timeline.tracks().get(thread.parent()).key())
                .findFirst()
                .orElse("");
    }

    /**
     * Returns the rate of large copies to a device in bytes per second. Pageable and small copies are excluded, because
     * they are slow for other reasons.
     */
    private double copyRate(Analysis analysis, DeviceActivity device) {
        Timeline timeline = analysis.timeline();
        double leastBytes = limit(analysis, "copy-bytes");
        double sizeBytes = 0;
        double ns = 0;
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            if (timeline.kind(row) == RowKind.MEMCPY_H2D
                    && !MemoryKind.PAGEABLE.isOf(timeline, row)
                    && timeline.attribute(row, Attribute.SIZE_BYTES) >= leastBytes) {
                sizeBytes += timeline.attribute(row, Attribute.SIZE_BYTES);
                ns += timeline.durationNs(row);
            }
        }
        return ns == 0 ? 0 : sizeBytes * 1e9 / ns;
    }
}

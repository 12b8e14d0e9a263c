package io.inferscope.analyzer.analysis;

import java.util.HashMap;
import java.util.Map;

/** The values of all thresholds: the user's value, otherwise the default. Those of no single rule or check are here. */
public final class Thresholds {
    /** Limits of the verdict. */
    public static final Threshold GPU_BOUND = Threshold.of("verdict.gpu.share");

    public static final Threshold WAITING = Threshold.of("verdict.waiting.share");
    public static final Threshold MUCH_WAITING = Threshold.of("verdict.much-waiting.share");
    public static final Threshold COPY_BOUND = Threshold.of("verdict.copy.share");
    public static final Threshold COMMUNICATION_BOUND = Threshold.of("verdict.communication.share");
    public static final Threshold CPU_BOUND = Threshold.of("verdict.cpu.share");
    public static final Threshold UNEXPLAINED = Threshold.of("verdict.unexplained.share");

    /** Severity of a finding by its share: the limits of TraceLens and of the TensorBoard plugin. */
    public static final Threshold WARNING = Threshold.of("severity.warning.share");

    public static final Threshold CRITICAL = Threshold.of("severity.critical.share");

    /** Steady state: docs/steps.md. */
    static final Threshold STEADY_STEPS = Threshold.of("steady.steps");

    static final Threshold STEADY_DRIFT = Threshold.of("steady.drift");

    /** Peaks of the device, for devices that the built-in table does not know. */
    public static final Threshold PEAK_FP16 = Threshold.of("device-peak.fp16-flops-per-second");

    public static final Threshold PEAK_FP32 = Threshold.of("device-peak.fp32-flops-per-second");
    public static final Threshold PEAK_BYTES = Threshold.of("device-peak.bytes-per-second");

    /** Of the trust gate's check of graphs, and of the rule that claims no gain from such gaps. */
    public static final Threshold GRAPH_GAP = Threshold.of("trust.graph-gap.ns");

    private static final Thresholds DEFAULTS = new Thresholds(Map.of(), "");

    private final Map<String, Double> set;
    private final String gpu;

    private Thresholds(Map<String, Double> set, String gpu) {
        this.set = set;
        this.gpu = gpu;
    }

    public static Thresholds defaults() {
        return DEFAULTS;
    }

    /** Returns these values with some of them replaced. */
    public Thresholds with(Map<Threshold, Double> more) {
        if (more.isEmpty()) {
            return this;
        }
        Map<String, Double> all = new HashMap<>(set);
        more.forEach((threshold, value) -> all.put(threshold.key(), value));
        return new Thresholds(all, gpu);
    }

    /** Returns these values for recordings whose devices are of a model, unless they name it themselves. */
    public Thresholds ofGpu(String model) {
        return new Thresholds(set, model);
    }

    /** Returns the model of devices that the recording does not name; empty if it is not known. */
    public String gpu() {
        return gpu;
    }

    public double get(Threshold threshold) {
        return set.getOrDefault(threshold.key(), threshold.value());
    }
}

package io.inferscope.analyzer.analysis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The values of all thresholds: the user's value, otherwise the default. Thresholds that belong to no single rule or
 * check are declared here.
 */
public final class Thresholds {
    /** Limits of the verdict. */
    public static final Threshold GPU_BOUND =
            new Threshold("verdict.gpu.share", 0.80, "GPU compute, or model compute on the CPU, for that verdict");

    public static final Threshold WAITING =
            new Threshold("verdict.waiting.share", 0.40, "waiting for others, for the verdict \"waiting\"");
    public static final Threshold MUCH_WAITING = new Threshold(
            "verdict.much-waiting.share",
            0.25,
            "waiting for others where no other limit is reached, for the verdict \"waiting\"");
    public static final Threshold COPY_BOUND =
            new Threshold("verdict.copy.share", 0.20, "exposed copies, for the verdict \"copy-bound\"");
    public static final Threshold COMMUNICATION_BOUND = new Threshold(
            "verdict.communication.share", 0.20, "exposed communication, for the verdict \"communication-bound\"");
    public static final Threshold CPU_BOUND =
            new Threshold("verdict.cpu.share", 0.20, "host time that is waited for, for the verdict \"CPU-bound\"");
    public static final Threshold UNEXPLAINED = new Threshold(
            "verdict.unexplained.share",
            0.20,
            "unattributed time, or waiting with unknown waker, from which the verdict is withheld");

    /** Severity of a finding by its share: the limits of TraceLens and of the TensorBoard plugin. */
    public static final Threshold WARNING = new Threshold("severity.warning.share", 0.15, "cost of a warning");

    public static final Threshold CRITICAL =
            new Threshold("severity.critical.share", 0.40, "cost of a critical finding");

    /** Steady state: docs/steps.md. */
    static final Threshold STEADY_STEPS = new Threshold("steady.steps", 5, "steps that a steady state has at least");

    static final Threshold STEADY_DRIFT =
            new Threshold("steady.drift", 2, "ratio of step durations up to which the state is steady");

    /** Peaks of the device, for devices that the built-in table does not know. */
    public static final Threshold PEAK_FP16 = new Threshold(
            "device-peak.fp16-flops-per-second", 0, "peak of the FP16 matrix units; 0: that of the built-in table");

    public static final Threshold PEAK_FP32 =
            new Threshold("device-peak.fp32-flops-per-second", 0, "peak in FP32; 0: that of the built-in table");
    public static final Threshold PEAK_BYTES = new Threshold(
            "device-peak.bytes-per-second", 0, "bandwidth of device memory; 0: that of the built-in table");

    /** Of the trust gate's check of graphs, and of the rule that claims no gain from such gaps. */
    public static final Threshold GRAPH_GAP =
            new Threshold("trust.graph-gap.ns", 2_000.0, "mean gap between nodes that is mostly the tracer's");

    /** All of the above that no check declares. */
    public static final List<Threshold> GENERAL = List.of(
            GPU_BOUND,
            WAITING,
            MUCH_WAITING,
            COPY_BOUND,
            COMMUNICATION_BOUND,
            CPU_BOUND,
            UNEXPLAINED,
            WARNING,
            CRITICAL,
            STEADY_STEPS,
            STEADY_DRIFT,
            PEAK_FP16,
            PEAK_FP32,
            PEAK_BYTES);

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

package io.inferscope.analyzer.analysis;

import java.util.Map;
import java.util.TreeMap;

/** Every limit that a verdict or a rule uses, in one place. Shares are ratios of the judged part. */
public final class Thresholds {
    private static final Map<String, Double> DEFAULTS = new TreeMap<>(Map.ofEntries(
            // Verdict: DESIGN, time accounting.
            Map.entry("verdict.gpu.share", 0.80),
            Map.entry("verdict.waiting.share", 0.40),
            Map.entry("verdict.copy.share", 0.20),
            Map.entry("verdict.communication.share", 0.20),
            Map.entry("verdict.cpu.share", 0.20),
            Map.entry("verdict.unexplained.share", 0.20),
            // Rules: see the page of each rule for the reason.
            Map.entry("gpu-idle.share", 0.05),
            Map.entry("outside-span.share", 0.20),
            Map.entry("launch-bound.share", 0.10),
            Map.entry("launch-bound.kernel-ns", 20_000.0),
            Map.entry("exposed-h2d.share", 0.05),
            Map.entry("pageable-copies.byte-share", 0.50),
            Map.entry("pageable-copies.share", 0.01),
            Map.entry("blocking-sync.share", 0.05),
            Map.entry("preprocessing-dominates.share", 0.15),
            Map.entry("python-dominates.share", 0.20),
            Map.entry("communication-exposed.share", 0.05),
            Map.entry("waiting-for-requests.share", 0.20),
            Map.entry("cpu-contention.share", 0.10),
            Map.entry("gil-contention.share", 0.05),
            Map.entry("lock-contention.share", 0.05),
            Map.entry("waiting-for-worker.share", 0.05),
            Map.entry("compile-load.share", 0.10),
            Map.entry("child-process.share", 0.05),
            Map.entry("file-io.share", 0.05),
            Map.entry("page-faults.share", 0.05),
            Map.entry("garbage-collection.share", 0.05),
            Map.entry("sleeping.share", 0.10),
            Map.entry("memory-pressure.share", 0.05),
            Map.entry("memory-pressure.swapped-bytes", 67_108_864.0),
            // Trust gate: DESIGN, trust gate.
            Map.entry("trust.profiler.noted", 0.05),
            Map.entry("trust.profiler.contaminated", 0.15),
            Map.entry("trust.early-kernels.share", 0.01),
            Map.entry("trust.overlap.share", 0.01),
            Map.entry("trust.unlaunched.share", 0.50),
            Map.entry("trust.blocked.share", 0.20),
            Map.entry("trust.first-operation.ns", 1_000_000.0),
            Map.entry("trust.dropped.share", 0.01),
            Map.entry("trust.idle-samples.share", 0.10),
            Map.entry("trust.blind-steps.share", 0.20)));

    private final Map<String, Double> values;

    private Thresholds(Map<String, Double> values) {
        this.values = values;
    }

    /** Returns the built-in limits. */
    public static Thresholds defaults() {
        return new Thresholds(DEFAULTS);
    }

    /** Returns a limit by its key. An unknown key is an error. */
    public double get(String key) {
        Double value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("no threshold is called " + key);
        }
        return value;
    }
}

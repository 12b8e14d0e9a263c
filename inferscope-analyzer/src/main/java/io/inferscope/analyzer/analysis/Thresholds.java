package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.MeasureUnit;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Every limit that a verdict, a rule or the trust gate uses, in one place; all of them can be set by users. The end of a key says its
 * unit: {@code share} is 0 to 1, mostly of the judged part; {@code ns} and {@code bytes} are what they say;
 * anything else is a number.
 */
public final class Thresholds {
    private static final Map<String, Double> DEFAULTS = new TreeMap<>(Map.ofEntries(
            // Verdict: DESIGN, time accounting.
            Map.entry("verdict.gpu.share", 0.80),
            Map.entry("verdict.waiting.share", 0.40),
            Map.entry("verdict.copy.share", 0.20),
            Map.entry("verdict.communication.share", 0.20),
            Map.entry("verdict.cpu.share", 0.20),
            Map.entry("verdict.unexplained.share", 0.20),
            // Severity of a finding by its share: TraceLens' and the TensorBoard plugin's limits.
            Map.entry("severity.warning.share", 0.15),
            Map.entry("severity.critical.share", 0.40),
            // Steady state: docs/steps.md.
            Map.entry("steady.steps", 5.0),
            Map.entry("steady.drift", 2.0),
            // Rules: see the page of each rule for the reason.
            Map.entry("gpu-idle.share", 0.05),
            Map.entry("outside-span.share", 0.20),
            Map.entry("critical-path.share", 0.50),
            Map.entry("critical-path.lead-share", 0.15),
            Map.entry("critical-path.least-ns", 1_000_000.0),
            Map.entry("launch-bound.share", 0.10),
            Map.entry("launch-bound.kernel-ns", 20_000.0),
            Map.entry("exposed-h2d.share", 0.05),
            Map.entry("exposed-d2h.share", 0.05),
            Map.entry("async-pageable-copies.share", 0.01),
            Map.entry("synchronous-copies.share", 0.01),
            Map.entry("synchronous-memsets.share", 0.01),
            Map.entry("copy-heavy.share", 0.05),
            Map.entry("copy-heavy.load-ns", 2e9),
            Map.entry("copy-heavy.load-byte-share", 0.80),
            Map.entry("pcie-saturation.share", 0.30),
            Map.entry("pcie-saturation.rate", 0.75),
            Map.entry("pcie-saturation.link-bytes-per-second", 0.0),
            Map.entry("device-allocation.share", 0.01),
            Map.entry("clocks.busy", 0.50),
            Map.entry("clocks.readings", 5.0),
            Map.entry("clocks.share", 0.20),
            Map.entry("low-clocks.ratio", 0.70),
            Map.entry("shared-device.share", 0.20),
            Map.entry("ecc-errors.corrected", 1.0),
            Map.entry("memory-growth.samples", 10.0),
            Map.entry("memory-growth.span-ns", 1e10),
            Map.entry("memory-growth.bytes", 67_108_864.0),
            Map.entry("memory-growth.share", 0.10),
            Map.entry("pageable-copies.byte-share", 0.50),
            Map.entry("pageable-copies.share", 0.01),
            Map.entry("blocking-sync.share", 0.05),
            Map.entry("preprocessing-dominates.share", 0.15),
            Map.entry("framework-dominates.share", 0.20),
            Map.entry("python-dominates.share", 0.20),
            Map.entry("communication-exposed.share", 0.05),
            Map.entry("waiting-for-requests.share", 0.20),
            Map.entry("cpu-contention.share", 0.10),
            Map.entry("cpu-oversubscription.share", 0.05),
            Map.entry("cpu-oversubscription.ratio", 1.25),
            Map.entry("threads-do-not-scale.share", 0.30),
            Map.entry("threads-do-not-scale.busy", 0.50),
            Map.entry("memory-bound-operators.share", 0.30),
            Map.entry("memory-bound-operators.instructions-per-cycle", 1.0),
            Map.entry("memory-bound-operators.misses", 10.0),
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
            Map.entry("long-gaps.gaps", 10.0),
            Map.entry("long-gaps.gap-ns", 20_000.0),
            Map.entry("long-gaps.medians", 5.0),
            Map.entry("long-gaps.share", 0.02),
            Map.entry("utilisation.buckets", 10.0),
            Map.entry("low-utilisation.high", 0.70),
            Map.entry("fluctuating-utilisation.low", 0.10),
            Map.entry("device-dependency.share", 0.05),
            Map.entry("launch-delay.delay-ns", 100_000.0),
            Map.entry("launch-delay.share", 0.01),
            Map.entry("slow-launch-calls.call-ns", 50_000.0),
            Map.entry("slow-launch-calls.share", 0.01),
            Map.entry("short-kernels.call-ns", 50_000.0),
            Map.entry("short-kernels.share", 0.02),
            Map.entry("fragmented-kernels.kernel-ns", 10_000.0),
            Map.entry("fragmented-kernels.launches", 100.0),
            Map.entry("fragmented-kernels.share", 0.10),
            Map.entry("empty-launch-queue.kernels", 100.0),
            Map.entry("empty-launch-queue.share", 0.90),
            Map.entry("empty-launch-queue.idle", 0.20),
            Map.entry("hotspot-kernel.of-compute", 0.50),
            Map.entry("hotspot-kernel.compute", 0.50),
            Map.entry("hotspot-kernel.kernels", 10.0),
            Map.entry("input-bound.share", 0.05),
            Map.entry("output-bound.share", 0.05),
            Map.entry("no-kv-cache.share", 0.05),
            Map.entry("no-kv-cache.steps", 4.0),
            Map.entry("one-thread-bound.gpu", 0.10),
            Map.entry("one-thread-bound.cpu", 0.95),
            Map.entry("one-thread-bound.share", 0.50),
            Map.entry("communication-overlap.share", 0.10),
            Map.entry("communication-overlap.hidden", 0.70),
            Map.entry("thread-contention.thread-share", 0.20),
            Map.entry("thread-contention.of-cpu", 0.50),
            Map.entry("numa-placement.slower", 0.10),
            Map.entry("numa-placement.copy-bytes", 1_048_576.0),
            Map.entry("roofline-gap.share", 0.15),
            Map.entry("roofline-gap.attainable", 0.70),
            Map.entry("roofline-gap.attention-attainable", 0.50),
            Map.entry("roofline-gap.kernel-ns", 10_000.0),
            Map.entry("tensor-cores-unused.share", 0.10),
            // Peaks of the device, where the built-in table is wrong or does not know it; 0 for the table's.
            Map.entry("device-peak.fp16-flops-per-second", 0.0),
            Map.entry("device-peak.fp32-flops-per-second", 0.0),
            Map.entry("device-peak.bytes-per-second", 0.0),
            Map.entry("eager-decode.launches", 100.0),
            Map.entry("sglang-eager-decode.share", 0.50),
            Map.entry("vllm-api-server.cpu", 0.90),
            Map.entry("vllm-api-server.hungry", 0.50),
            Map.entry("vllm-batched-tokens.most", 8_192.0),
            Map.entry("vllm-batched-tokens.least", 512.0),
            Map.entry("vllm-batched-tokens.steps", 3.0),
            Map.entry("sglang-empty-queue.share", 0.90),
            Map.entry("sglang-token-usage.usage", 0.90),
            Map.entry("sglang-token-usage.share", 0.50),
            Map.entry("sglang-retractions.per-minute", 1.0),
            Map.entry("steady-state-compiling.share", 0.01),
            Map.entry("graph-captures.graphs", 9.0),
            Map.entry("graph-captures.share", 0.01),
            Map.entry("recompilation.versions", 2.0),
            Map.entry("recompilation.limit", 8.0),
            Map.entry("device-memory-limit.share", 0.90),
            Map.entry("sglang-free-memory.bytes", 1e10),
            Map.entry("sglang-free-memory.keep-bytes", 8e9),
            Map.entry("sync-per-step.calls", 1.0),
            Map.entry("sync-per-step.share", 0.02),
            Map.entry("copies-per-step.copies", 10.0),
            // Trust gate: DESIGN, trust gate.
            Map.entry("trust.profiler.noted-share", 0.05),
            Map.entry("trust.profiler.contaminated-share", 0.15),
            Map.entry("trust.early-kernels.share", 0.01),
            Map.entry("trust.skew.share", 0.05),
            Map.entry("trust.clock-error.ns", 1_000_000.0),
            Map.entry("trust.short-gaps.share", 0.20),
            Map.entry("trust.utilisation.share", 0.20),
            Map.entry("trust.utilisation.least-ns", 2_000_000_000.0),
            Map.entry("trust.overlap.share", 0.01),
            Map.entry("trust.unlaunched.share", 0.50),
            Map.entry("trust.blocked.share", 0.20),
            Map.entry("trust.first-operation.ns", 1_000_000.0),
            Map.entry("trust.dropped.share", 0.01),
            Map.entry("trust.device-unrecorded.share", 0.01),
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

    /** Returns the key of every limit, sorted. */
    public static Set<String> keys() {
        return Collections.unmodifiableSet(DEFAULTS.keySet());
    }

    /** Returns the unit of a limit. */
    public static MeasureUnit unit(String key) {
        if (key.endsWith("bytes-per-second")) {
            return MeasureUnit.BYTES_PER_SECOND;
        }
        String last = key.substring(Math.max(key.lastIndexOf('.'), key.lastIndexOf('-')) + 1);
        return switch (last) {
            case "share" -> MeasureUnit.RATIO;
            case "ns" -> MeasureUnit.NS;
            case "bytes" -> MeasureUnit.BYTES;
            default -> MeasureUnit.COUNT;
        };
    }

    /**
     * Returns these limits with some of them set otherwise.
     *
     * @param set by key; each must be one of {@link #keys}
     */
    public Thresholds with(Map<String, Double> set) {
        if (set.isEmpty()) {
            return this;
        }
        Map<String, Double> all = new TreeMap<>(values);
        set.forEach((key, value) -> {
            get(key);
            all.put(key, value);
        });
        return new Thresholds(all);
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

package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reports memory that SGLang leaves unused while its KV cache is full. Basis and threshold:
 * docs/rules/sglang-free-memory.md.
 */
final class SglangFreeMemoryRule extends Rule {
    private static final Threshold BYTES =
            new Threshold("sglang-free-memory.bytes", 1e10, "device memory left free, above this");
    private static final Threshold KEEP_BYTES =
            new Threshold("sglang-free-memory.keep-bytes", 8e9, "device memory to keep free in the advice");

    SglangFreeMemoryRule() {
        super("sglang-free-memory", BYTES, KEEP_BYTES);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<Series> usage = analysis.counters().first("sglang:token_usage");
        List<DeviceMemory> devices = DeviceMemory.of(analysis);
        if (usage.isEmpty() || devices.isEmpty()) {
            return new Verdict.NotApplicable("sglang:token_usage or the use of the device's memory is not recorded");
        }
        DeviceMemory fullest = Collections.min(devices, Order.comparingDouble(DeviceMemory::freeBytes));
        if (fullest.freeBytes() <= analysis.threshold(BYTES)) {
            return Verdict.clean(Units.bytes(fullest.freeBytes()) + " of the fullest device's memory stay free");
        }
        if (usage.get().most() < analysis.threshold(SglangTokenUsageRule.USAGE)) {
            return Verdict.clean("the KV cache has room, at most "
                    + Units.percent(usage.get().most()) + " of it are in use");
        }
        double more = (fullest.freeBytes() - analysis.threshold(KEEP_BYTES)) / fullest.totalBytes();
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(Severity.INFO)
                .measure("free", Units.bytes(fullest.freeBytes()))
                .measure("device", fullest.device())
                .measure("more", String.format(Locale.ROOT, "%.2f", Math.floor(more * 100) / 100))
                .claim(
                        "The KV cache is full at times, and at least {free} of every device's memory stay free: SGLang could use them for it.")
                .quantity("least free memory, device " + fullest.device(), fullest.freeBytes(), "bytes")
                .quantity("most of the KV cache in use", usage.get().most(), "ratio")
                .advice(analysis)
                .noGain("how many more requests would run is not in the recording"));
    }
}

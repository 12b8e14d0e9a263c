package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import java.util.Collections;
import java.util.List;

/** Reports a device whose memory is nearly full. */
final class DeviceMemoryLimitRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        List<DeviceMemory> devices = DeviceMemory.of(analysis);
        if (devices.isEmpty()) {
            return new Verdict.NotApplicable("how much of the device's memory is in use is not recorded");
        }
        DeviceMemory fullest = Collections.max(devices, (a, b) -> Double.compare(a.usedRatio(), b.usedRatio()));
        if (fullest.usedRatio() <= limit(analysis, "share")) {
            return Verdict.clean("at most " + Units.percent(fullest.usedRatio()) + " of a device's memory is in use");
        }
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(Severity.INFO)
                .measure("device", fullest.device())
                .measure("used", Units.bytes(fullest.usedBytes()))
                .measure("total", Units.bytes(fullest.totalBytes()))
                .measure("ratio", Units.percent(fullest.usedRatio()))
                .quantity("most memory in use", fullest.usedBytes(), "bytes")
                .quantity("memory of the device", fullest.totalBytes(), "bytes")
                .advice(analysis)
                .noGain("it costs no time until an allocation fails"));
    }
}

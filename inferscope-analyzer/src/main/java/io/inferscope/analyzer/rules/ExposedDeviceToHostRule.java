package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.LedgerClass;

/** Reports device-to-host copies that no kernel hides. Basis and threshold: docs/rules/exposed-d2h.md. */
final class ExposedDeviceToHostRule extends ExposedCopyRule {
    ExposedDeviceToHostRule() {
        super(
                new RuleInfo("exposed-d2h", "Device-to-host copies the GPU waits for", Needs.DEVICE_WORK),
                CopyDirection.D2H,
                LedgerClass.COPY_D2H);
    }
}

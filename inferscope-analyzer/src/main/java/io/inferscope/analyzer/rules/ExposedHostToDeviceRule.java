package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.LedgerClass;

/** Reports host-to-device copies that no kernel hides. Basis and threshold: docs/rules/exposed-h2d.md. */
final class ExposedHostToDeviceRule extends ExposedCopyRule {
    ExposedHostToDeviceRule() {
        super(
                new RuleInfo("exposed-h2d", "Host-to-device copies the GPU waits for", Needs.DEVICE_WORK)
                        .repeating("pageable-copies"),
                CopyDirection.H2D,
                LedgerClass.COPY_H2D);
    }
}

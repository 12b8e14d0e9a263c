package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class ExposedDeviceToDeviceRuleTest extends ExposedCopyRuleContract {
    ExposedDeviceToDeviceRuleTest() {
        super(new ExposedDeviceToDeviceRule(), 'C', "device-to-device copies");
    }

    @Test
    void setsAndCopiesBetweenDevicesAreOthers() {
        TimelineFixture fixture = TimelineFixture.blank()
                .kernel("7", 0, 10, "gemm")
                .operation(RowKind.MEMCPY_D2D, "7", 10, 14, "Memcpy DtoD (Device -> Device)")
                .operation(RowKind.MEMSET, "7", 14, 20, "Memset (Device)")
                .operation(RowKind.MEMCPY_P2P, "7", 20, 30, "Memcpy PtoP (Device -> Device)")
                .kernel("7", 30, 40, "gemm");

        Finding finding = found(rule, fixture.build());

        assertThat(finding.costNs()).isEqualTo(us(4));
        assertThat(finding.advice()).contains(".contiguous()");
    }
}

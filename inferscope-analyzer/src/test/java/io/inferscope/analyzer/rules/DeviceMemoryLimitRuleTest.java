package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleTimelines.memory;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class DeviceMemoryLimitRuleTest {
    private final Rule rule = new DeviceMemoryLimitRule();

    @Test
    void aFullDeviceIsReported() {
        Finding finding = found(rule, memory(76, 80));

        assertThat(finding.claim())
                .isEqualTo(
                        "70.8 GiB of 74.5 GiB of the memory of device 1 were in use, 95.0%: a larger batch or a longer input does not fit any more.");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void roomIsClean() {
        assertThat(clean(rule, memory(70, 80))).isEqualTo("at most 87.5% of a device's memory is in use");
    }

    @Test
    void theFrameworksAllocatorTellsWhereTheDriverDoesNot() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "serve")
                .property("device.0.memory_bytes", "80000000000")
                .host(RowKind.INSTANT, "main", 50, 50, "[memory]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.ALLOCATED_BYTES, 60_000_000_000L);
        fixture.builder().attribute(fixture.lastRow(), Attribute.RESERVED_BYTES, 76_000_000_000L);
        fixture.builder().attribute(fixture.lastRow(), Attribute.MEMORY_DEVICE, 0);

        assertThat(found(rule, fixture).claim()).contains("of the memory of device 0 were in use, 95.0%");
    }

    @Test
    void anotherDevicesSizeIsNoSize() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank()
                                .scope("main", 0, 100, "serve")
                                .counter("nvml.memory_used_bytes{device=\"1\"}", 10, 1e9)
                                .counter("nvml.memory_total_bytes{device=\"0\"}", 10, 8e10)))
                .isEqualTo("how much of the device's memory is in use is not recorded");
    }
}

package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class PageableCopiesRuleTest {
    private final Rule rule = new PageableCopiesRule();

    @Test
    void reportsTheBytesThatMoveThroughPageableMemory() {
        Finding finding = found(rule, """
                us        0         10        20        30        40
                name H = Memcpy HtoD (Pageable -> Device)
                name h = Memcpy HtoD (Pinned -> Device)
                bytes H = 3072
                bytes h = 1024
                stream 7  HHHHHHHHKKKKKKKKKKKKKKKKKKKKhhhhhhhhhhhh
                """);

        assertThat(finding.claim())
                .isEqualTo("75.0% of the bytes between host and device move through pageable memory:"
                        + " 1 copy, 3.00 KiB, 8.00 us. Such a copy is staged through a driver buffer,"
                        + " and an asynchronous one blocks the host.");
        assertThat(finding.costNs()).isEqualTo(us(8));
        assertThat(finding.share()).isEqualTo(0.20, within(1e-9));
        assertThat(finding.of()).isEqualTo("span of device 0");
        assertThat(finding.advice()).contains("DataLoader(pin_memory=True)", "cudaHostRegister");
        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isEqualTo(us(7.6));
        assertThat(finding.gain().highNs()).as("no more than the copies take").isEqualTo(us(8));
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Range(
                                "longest H2D copy: Memcpy HtoD (Pageable -> Device)", 0, us(8), "device 0", ""),
                        count("copies with pageable memory", 1),
                        new Evidence.Quantity("bytes through pageable memory", 3072, "bytes"));
    }

    @Test
    void theAdviceIsAboutTheDirection() {
        Finding finding = found(rule, """
                us        0         10        20
                name D = Memcpy DtoH (Device -> Pageable)
                bytes D = 3072
                stream 7  KKKKKKKKKKDDDDDDDDDD
                """);

        assertThat(finding.advice()).contains("pinned tensor", "copy_").doesNotContain("DataLoader");
    }

    @Test
    void copiesOfAnotherDeviceDoNotCount() {
        assertThat(notApplicable(rule, """
                        us                 0         10        20
                        name H = Memcpy HtoD (Pageable -> Device)
                        bytes H = 4096
                        device 0 stream 7  KKKKKKKKKKKKKKKKKKKK
                        device 1 stream 7  HHHHHHHHHHHHHHHH....
                        """))
                .isEqualTo("no copy between host and device says which kind of host memory it used");
    }

    @Test
    void pinnedCopiesAreClean() {
        assertThat(clean(rule, """
                        us        0         10        20        30        40
                        name H = Memcpy HtoD (Pageable -> Device)
                        name h = Memcpy HtoD (Pinned -> Device)
                        bytes H = 1024
                        bytes h = 3072
                        stream 7  HHHHHHHHKKKKKKKKKKKKKKKKKKKKhhhhhhhhhhhh
                        """)).isEqualTo("25.0% of the bytes use pageable memory");
    }

    @Test
    void copiesThatTakeNoTimeAreClean() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .h2d("7", 0, 5, "Memcpy HtoD (Pageable -> Device)")
                                .bytes(4096)
                                .kernel("7", 5, 1000, "gemm")))
                .isEqualTo("copies with pageable memory take 0.5% of the span");
    }

    @Test
    void saysNothingWhereNoSizeIsRecorded() {
        assertThat(notApplicable(rule, """
                        us        0         10        20
                        name H = Memcpy HtoD (Pageable -> Device)
                        stream 7  HHHHHHHHHHKKKKKKKKKK
                        """)).isEqualTo("no copy between host and device says how many bytes it moved");
    }

    @Test
    void saysNothingWhereNoKindOfMemoryIsRecorded() {
        assertThat(notApplicable(rule, """
                        us        0         10        20
                        name H = CopyHostToDevice
                        bytes H = 4096
                        stream 7  HHHHHHHHHHKKKKKKKKKK
                        """))
                .isEqualTo("no copy between host and device says which kind of host memory it used");
    }

    /** A copy of 900 us before twelve steps that copy nothing. */
    @Test
    void copiesOutsideOfTheSteadyStateCountInTheWindow() {
        TimelineFixture fixture = TimelineFixture.blank()
                .operation(RowKind.MEMCPY_H2D, "7", 20, 920, "Memcpy HtoD")
                .text(Attribute.MEMORY_KINDS, "Pageable -> Device")
                .bytes(1 << 20)
                .launchedBy("main", 0, 10);
        for (int step = 0; step < 12; step++) {
            double atUs = 1_000 + 100.0 * step;
            fixture.scope("main", atUs, atUs + 95, "ProfilerStep#" + step)
                    .kernel("7", atUs + 10, atUs + 90, "gemm")
                    .launchedBy("main", atUs + 2, atUs + 4);
        }
        Finding finding = found(rule, fixture);

        assertThat(finding.of()).startsWith("window");
        assertThat(finding.costNs()).isEqualTo(us(900));
    }
}

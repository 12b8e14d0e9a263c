package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.inferscope.analyzer.RealTraces;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Between what ends a gain lies, and when none is claimed. */
class GainsTest {
    /** Without a wait the rest is not slower, but may be a good deal faster: 1 % and 18 % of 50 us. */
    @Test
    void whatIsHeldUpMayRunFasterWithoutTheWait() {
        Finding finding = found(new SleepingRule(), waits(50, WaitReason.TIMER));

        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isEqualTo(us(49.5));
        assertThat(finding.gain().highNs()).isEqualTo(us(59));
    }

    /** Recording made steps up to 2 % longer, so added up to 1.96 of 100 us; or up to 10 %, which is too much to promise. */
    @Test
    void gainsDoNotCountWhatRecordingMayHaveAdded() {
        Finding little = slowed("1.01 1.005 1.02 8");
        Finding much = slowed("1.08 1.05 1.1 8");

        assertThat(little.gain()).isNotNull();
        assertThat(little.gain().lowNs()).isEqualTo(us(49.5) - 1961);
        assertThat(little.gain().highNs()).isEqualTo(us(59));
        assertThat(little.gain().assumptions()).anyMatch(one -> one.contains("up to 2 % longer"));
        assertThat(much.gain()).isNull();
        assertThat(much.noGainBecause()).startsWith("recording device work made steps up to 10 % longer");
    }

    private static Finding slowed(String slowdown) {
        return found(new SleepingRule(), waits(50, WaitReason.TIMER).with("inferscope.recording_slowdown", slowdown));
    }

    /** Rules that count a wait and the kernel's work for it together; here none of the time is work. */
    @Test
    void aWaitThatARuleCountsWithTheKernelsWorkIsStillAWait() {
        Map.of(WaitRule.FILE_IO, WaitReason.FILE_IO, WaitRule.PAGE_FAULTS, WaitReason.PAGE_FAULT)
                .forEach((rule, reason) -> {
                    Finding finding = found(rule, waits(50, reason));

                    assertThat(finding.gain()).isNotNull();
                    assertThat(finding.gain().lowNs()).isEqualTo(us(49.5));
                    assertThat(finding.gain().highNs()).isEqualTo(us(59));
                });
    }

    @Test
    void errorsOfWorkAndWaitsAreMixedByTheirTime() {
        Map<LedgerClass, Long> times = Map.of(LedgerClass.WAIT_IO, 30L, LedgerClass.SYSTEM_FILE, 10L);

        GainErrors errors = GainErrors.HOST_WORK.heldUp(times.keySet(), false, times::get);

        assertThat(errors.slower()).isCloseTo(0.75 * 0.01 + 0.25 * 0.05, offset(1e-9));
        assertThat(errors.faster()).isCloseTo(0.75 * 0.18 + 0.25 * 0.10, offset(1e-9));
        assertThat(errors.cold()).isCloseTo(0.25 * 0.15, offset(1e-9));
    }

    /**
     * 70 us are work: a quarter of it may go where others keep both CPUs busy, and 18 % where they do not. The
     * counter was read in the part's middle only, as when it was cut out of a recording.
     */
    @ParameterizedTest
    @CsvSource({"190, false", "110, true"})
    void besideOtherProgramsTheRestMayRunMuchFaster(double busyUs, boolean claims) {
        Finding finding = found(
                WaitRule.FILE_IO,
                TimelineFixture.blank()
                        .scope("main", 0, 100, "generate")
                        .state("main", 0, 70, 70, 0, WaitReason.UNKNOWN)
                        .state("main", 70, 100, 0, 0, WaitReason.FILE_IO)
                        .property("process.1.host.cpus", "2")
                        .counter("host.cpu_busy_ns", 10, 0)
                        .counter("host.cpu_busy_ns", 90, 0.8 * us(busyUs))
                        .build());

        assertThat(finding.gain() != null).isEqualTo(claims);
        assertThat(finding.noGainBecause().contains("beside other programs, which used 1.20 CPUs"))
                .isNotEqualTo(claims);
    }

    @Test
    void nothingIsClaimedWhereTheRestIsTooMuch() {
        Finding finding = found(new SleepingRule(), waits(15, WaitReason.TIMER));

        assertThat(finding.gain()).isNull();
        assertThat(finding.noGainBecause())
                .contains(", uncertain: ")
                .endsWith("it is not known how much faster the rest runs without it");
    }

    /** The file is not read sooner because the thread sleeps no more: 18 % of the 35 us of work. */
    @Test
    void waitsThatStayAreNotFaster() {
        Finding finding = found(
                new SleepingRule(),
                TimelineFixture.blank()
                        .scope("main", 0, 100, "generate")
                        .state("main", 0, 35, 35, 0, WaitReason.UNKNOWN)
                        .state("main", 35, 65, 0, 0, WaitReason.FILE_IO)
                        .state("main", 65, 100, 0, 0, WaitReason.TIMER));

        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isEqualTo(us(35 - 0.65));
        assertThat(finding.gain().highNs()).isEqualTo(us(35 + 6.3));
    }

    /**
     * 2 points of 100 us, and 5 % of the 40 that are left, or 10 % and 15 % of what is saved, which leaves cold caches.
     */
    @Test
    void workOfAHostThreadIsNeverKnownToTheNanosecond() {
        Finding finding = found(
                HostClassesRule.PREPROCESSING,
                TimelineFixture.blank().scope("main", 0, 60, "tokenize").scope("main", 60, 100, "generate"));

        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isEqualTo(us(60) - Math.round(Math.hypot(2_000.0, 2_000.0)));
        assertThat(finding.gain().highNs())
                .isEqualTo(us(60) + Math.round(Math.hypot(2_000.0, Math.hypot(4_000.0, 9_000.0))));
    }

    /** Another thread of the process has 40 us of work: on two CPUs both need 28, on four they have room. */
    @Test
    void noGainIsClaimedWhereOwnThreadsWouldStillCompete() {
        Finding crowded = found(new CpuContentionRule(), queues("2"));
        Finding roomy = found(new CpuContentionRule(), queues("4"));

        assertThat(crowded.gain()).isNull();
        assertThat(crowded.noGainBecause()).endsWith("and still compete for them");
        assertThat(roomy.gain()).isNotNull();
        assertThat(roomy.gain().lowNs()).isBetween(us(23), us(24));
        assertThat(roomy.gain().highNs()).isBetween(us(26), us(27));
    }

    /** On a crowded machine the holder of the GIL also takes the CPU time that the process gets. */
    @ParameterizedTest
    @CsvSource({"0, true", "40, false"})
    void withoutItsHolderMoreThanTheGilIsFreed(double queuedUs, boolean claims) {
        Finding finding = found(
                WaitRule.GIL,
                TimelineFixture.blank()
                        .scope("11", 0, 100, "generate")
                        .state("11", 0, 40 + queuedUs, 40, queuedUs, WaitReason.UNKNOWN)
                        .state("11", 40 + queuedUs, 100, 0, 0, WaitReason.GIL)
                        .heldBy(12)
                        .state("12", 0, 100, 60, 0, WaitReason.UNKNOWN)
                        .sample("12", 0, 100, "feed.py(3): count")
                        .build());

        assertThat(finding.noGainBecause().contains("would get more of it")).isNotEqualTo(claims);
        assertThat(finding.gain() == null || claims).isTrue();
    }

    /** No hand-over ties the second thread to the first: a replay keeps it where it was, although it may only wait. */
    @Test
    void aGainThatAnUnknownWaitBoundsSaysSo() {
        Finding finding = found(HostClassesRule.PREPROCESSING, TimelineFixture.draw("""
                us            0    10   20   30   40   50
                thread main   [tokenize..............]LL.
                thread other  ........................LL.
                stream 7      .........................KK
                stream 8      ..........................K
                links in order
                """));

        assertThat(finding.gain()).isNull();
        assertThat(finding.noGainBecause()).contains("it is not recorded what thread other waits for in up to ");
    }

    /** The reader waits for the main thread by means that nothing records, and the main thread for the reader at the end. */
    @Test
    void aReplayThatSavesLittleSaysWhoMayWaitForTheCause() {
        Finding finding = found(
                HostClassesRule.PREPROCESSING,
                TimelineFixture.blank()
                        .scope("main", 0, 50, "tokenize")
                        .userScope()
                        .state("main", 0, 50, 50, 0, WaitReason.UNKNOWN)
                        .scope("main", 50, 62, "join")
                        .state("main", 50, 60, 0, 0, WaitReason.FUTEX)
                        .state("main", 60, 62, 2, 0, WaitReason.UNKNOWN)
                        .scope("reader", 0, 60, "read")
                        .state("reader", 0, 50, 0, 0, WaitReason.FUTEX)
                        .state("reader", 50, 60, 10, 0, WaitReason.UNKNOWN)
                        .handedOver("reader", "main", 50, 60));

        assertThat(finding.gain()).isNull();
        assertThat(finding.noGainBecause()).contains("it is not recorded what thread reader waits for in up to ");
    }

    /** Preprocessing takes 4.26 s of idle time; a replay without it saves 4.7 s. */
    @Tag("traces")
    @Test
    void aGainThatIsMoreThanTheCostSaysWhy() throws Exception {
        Path trace = SharedTraces.folder().resolve("more").resolve("param-resnet.json.gz");
        Finding finding = RealTraces.report(trace).findings().stream()
                .filter(found -> found.rule().equals("preprocessing-dominates"))
                .findFirst()
                .orElseThrow();

        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isGreaterThan(finding.costNs());
        assertThat(finding.gain().assumptions())
                .last()
                .asString()
                .startsWith("with waits that it causes, beyond its own 4.26 s: threads that launch earlier");
    }

    /** Half of a function that sleeps is its own code: only the upper end goes beyond the 40 us, not what waits for it. */
    @Test
    void anUpperEndBeyondTheCostIsNotCalledItsConsequence() {
        Finding finding = found(new SleepingRule(), waits(40, WaitReason.TIMER));

        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isLessThan(finding.costNs());
        assertThat(finding.gain().highNs()).isGreaterThan(finding.costNs());
        assertThat(finding.gain().assumptions()).last().asString().doesNotContain("waits less");
    }

    private static Timeline waits(double us, WaitReason reason) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "generate")
                .state("main", 0, 100 - us, 100 - us, 0, WaitReason.UNKNOWN)
                .state("main", 100 - us, 100, 0, 0, reason)
                .build();
    }

    private static Timeline queues(String cpus) {
        return TimelineFixture.blank()
                .scope("main", 0, 40, "generate")
                .state("main", 0, 16, 16, 0, WaitReason.UNKNOWN)
                .state("main", 16, 40, 0, 24, WaitReason.UNKNOWN)
                .state("other", 0, 40, 40, 0, WaitReason.UNKNOWN)
                .property("process.1.host.cpus", cpus)
                .build();
    }
}

package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpuContentionRuleTest {
    private final Rule rule = new CpuContentionRule();

    @Test
    void reportsTheTimeRunnableWithoutACpu() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [generate                              ]
                state main   RRRRRRRRRRRRRRRRRRRRRRRRQQQQQQQQQQQQQQQQ
                state two    RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR
                """);

        assertThat(finding.claim())
                .isEqualTo(
                        "The critical thread is ready to run but gets no CPU for 16.0 us," + " 40.0% of the window.");
        assertThat(finding.costNs()).isEqualTo(us(16));
        assertThat(finding.share()).isEqualTo(0.40, within(1e-9));
        assertThat(finding.of()).isEqualTo("window of thread main");
        assertThat(finding.advice()).contains("OMP_NUM_THREADS");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place(
                                "ready but without a CPU; it ran for 24.0 us", "process 1, thread main", us(16), 1),
                        new Evidence.Quantity("CPU time of the program's other threads and processes", us(40), "ns"));
    }

    @Test
    void neighboursAreBlamedWhereTheProgramsOwnThreadsDoNotWork() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [generate                              ]
                state main   RRRRRRRRRRRRRRRRRRRRRRRRQQQQQQQQQQQQQQQQ
                """);

        assertThat(finding.advice()).contains("other programs").doesNotContain("OMP_NUM_THREADS");
    }

    /** The machine's counts, less those of the recorded threads, are other programs'. */
    @ParameterizedTest
    @CsvSource({
        "80, 1.00 by other programs, other programs use the CPUs",
        "44, 0.60 by the judged threads, OMP_NUM_THREADS"
    })
    void saysWhoUsedTheCpus(double busyUs, String most, String advice) {
        Timeline timeline = TimelineFixture.blank()
                .property("process.1.host.cpus", "2")
                .scope("main", 0, 40, "generate")
                .state("main", 0, 40, 24, 16, WaitReason.UNKNOWN)
                .state("two", 0, 40, 16, 0, WaitReason.UNKNOWN)
                .counter("host.cpu_busy_ns", 0, 0)
                .counter("host.cpu_busy_ns", 40, us(busyUs))
                .build();
        Finding finding = found(rule, timeline);

        assertThat(finding.claim())
                .contains("CPUs in use, on average: " + most, "0.40 by other threads of their process");
        assertThat(finding.advice()).contains(advice);
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        assertThat(Advice.against(LedgerClass.WAIT_RUN_QUEUE, analysis))
                .as("what other rules say of the same waits")
                .containsIgnoringCase(advice);
    }

    /** Many lines had the CPU meanwhile, each of them for a little: none of them is the place. */
    @ParameterizedTest
    @CsvSource({"2, true", "50, false"})
    void aLineThatHadTheCpuForLittleOfTheWaitIsNoEvidence(int lines, boolean named) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 1000, "generate")
                .state("main", 0, 1000, 400, 600, WaitReason.UNKNOWN)
                .state("other", 0, 1000, 1000, 0, WaitReason.UNKNOWN);
        for (int line = 0; line < lines; line++) {
            fixture.sample("other", line * 1000.0 / lines, (line + 1) * 1000.0 / lines, "serve.py(" + line + "): work");
        }

        assertThat(found(rule, fixture).evidence().toString().contains("at work meanwhile"))
                .isEqualTo(named);
    }

    @Test
    void threadsThatNobodyWaitsForAreNoEvidence() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [generate                              ]
                state main   RRRRRRRRRRRRRRRRRRRRRRRRQQQQQQQQQQQQQQQQ
                state idler  QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ
                """);

        assertThat(finding.evidence())
                .filteredOn(Evidence.Place.class::isInstance)
                .extracting(evidence -> ((Evidence.Place) evidence).where())
                .containsExactly("process 1, thread main");
    }

    @Test
    void apportionsACounterToItsInterval() {
        Finding finding = found(
                rule,
                TimelineFixture.blank()
                        .scope("main", 0, 100, "generate")
                        .state("main", 0, 100, 70, 20, WaitReason.SOCKET));

        assertThat(finding.costNs()).isEqualTo(us(20));
        assertThat(finding.share()).isEqualTo(0.20, within(1e-9));
    }

    @Test
    void aThreadThatGetsItsCpuIsClean() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  [generate                              ]
                        state main   RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRQQ
                        """)).isEqualTo("waiting for a CPU takes 5.0% of the window");
    }

    @Test
    void saysNothingWithoutThreadStates() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  [generate          ]
                """)).isEqualTo("thread states are not recorded");
    }
}

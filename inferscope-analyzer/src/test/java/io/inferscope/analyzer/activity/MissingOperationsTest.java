package io.inferscope.analyzer.activity;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MissingOperationsTest {
    @Test
    void aGapInWhichAnOperationIsMissingHasNoCauseOfTheHost() {
        Analysis analysis = analysis("""
                us           0         10        20        30        40
                thread main  LLLL......................................
                thread main  ....LL........LL............LL..........LL
                stream 7     ..KKKKKKKKKKKK....................KKKKKKKK
                links 0-0 3-1
                """);

        assertThat(analysis.ledger().ns(LedgerClass.UNATTRIBUTED))
                .as("two operations of up to 12 us, the first of which was launched before the gap begins")
                .isEqualTo(us(20));
        assertThat(analysis.idle().totalNs()).isZero();
    }

    @Test
    void timeBeforeTheMissingOperationWasLaunchedAndAfterItsLengthIsIdle() {
        Analysis analysis = analysis("""
                us           0         10        20        30        40
                thread main  LL..............LL................LL......
                stream 7     ..KKKK..............................KKKKKK
                links 0-0 2-1
                """);

        assertThat(analysis.idle().totalNs())
                .as("30 us without one operation: 5 us, and three deviations of 3.74 us, as two tell little of a third")
                .isEqualTo(13_775);
    }

    /** Steps of 100 us with a gap of 40 us before each: a kernel is missing in the first of them only. */
    @ParameterizedTest
    @CsvSource({"true, 82", "false, 3"})
    void aMissingOperationExplainsNoGapOfLaterStepsWhateverPrecedesTheirKernels(boolean annotated, int missingUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.python("main", 0, 600, "app.py(1): work").python("other", 0, 600, "app.py(2): work");
        fixture.kernel("7", 2, 10, "gemm").launchedBy("main", 0, 1);
        fixture.call("main", 20, 21, "cudaLaunchKernel");
        for (int step = 1; step < 6; step++) {
            int fromUs = 100 * step;
            if (annotated) {
                fixture.operation(RowKind.DEVICE_ANNOTATION, "7", fromUs + 2, fromUs + 60, "step");
            } else {
                fixture.kernel("7", fromUs - 2, fromUs - 1, "gemm").launchedBy("other", fromUs - 4, fromUs - 3);
            }
            fixture.kernel("7", fromUs + 2, fromUs + 60, "gemm").launchedBy("main", fromUs, fromUs + 1);
        }
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        assertThat(analysis.ledger().ns(LedgerClass.UNATTRIBUTED))
                .as("all of the first gap that a launch of its thread ends: the other kernels take 8 us to 58 us")
                .isEqualTo(us(missingUs));
    }

    @Test
    void memorySetsAndCallsInsideOthersAreNotMissing() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.kernel("7", 5, 10, "gemm").launchedBy("main", 0, 2);
        fixture.call("main", 12, 14, "cudaMemsetAsync");
        fixture.call("main", 20, 26, "cudaLaunchKernel");
        fixture.kernel("7", 30, 40, "gemm").launchedBy("main", 21, 24);

        assertThat(Analysis.of(fixture.build(), Thresholds.defaults()).idle().totalNs())
                .isEqualTo(us(20));
    }

    /** 9 of 10 kernels of 85 us in steps of 100 us: 76 % busy as recorded, up to 85 % with the missing ones. */
    @Test
    void whereMissingWorkDecidesTheVerdictBothAreSaid() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 200; i++) {
            if (i % 10 == 5) {
                fixture.call("main", 100 * i, 100 * i + 5, "cudaLaunchKernel");
            } else {
                fixture.kernel("7", 100 * i + 6, 100 * i + 91, "gemm").launchedBy("main", 100 * i, 100 * i + 5);
            }
        }

        BoundVerdict verdict = new Analyzer().analyze(fixture.build(), "drawn").verdict();

        assertThat(verdict.bound()).isEqualTo(Bound.WITHHELD);
        assertThat(verdict.claim()).startsWith("Either \"gpu\" or \"").contains("it is idle for ");
        assertThat(verdict.because()).last().asString().contains("record again");
    }

    private static Analysis analysis(String art) {
        return Analysis.of(TimelineFixture.draw(art), Thresholds.defaults());
    }
}

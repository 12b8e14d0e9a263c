package io.inferscope.analyzer.activity;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A script calls its model for 60 us of each 100; its states are counted over stretches that hold both. */
class WaitsOutsideModelTest {
    private static final int[] STRETCHES_US = {0, 130, 250, 390, 500, 640, 760, 890, 1000};

    @Test
    void aSleepCountedWithTheModelLiesOutsideIt() {
        Ledger ledger = ledger(WaitReason.TIMER, 1.0, 0.0);

        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(us(600));
        assertThat(ledger.ns(LedgerClass.WAIT_TIMER)).isEqualTo(us(400));
        assertThat(ledger.ns(LedgerClass.CPU_PYTHON)).isZero();
    }

    /** It is awake for half of the model, and for all of the rest. */
    @Test
    void aModelThatSleepsItselfIsLeftAlone() {
        Ledger ledger = ledger(WaitReason.TIMER, 0.5, 1.0);

        assertThat(ledger.ns(LedgerClass.WAIT_TIMER)).isBetween(us(299), us(301));
        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE)).isBetween(us(400), us(440));
    }

    @ParameterizedTest
    @EnumSource(
            value = WaitReason.class,
            names = {"FUTEX", "UNKNOWN"})
    void aWaitForAnotherThreadLiesOutsideAModelThatIsAwake(WaitReason reason) {
        Ledger ledger = ledger(reason, 1.0, 0.4);

        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(us(600));
    }

    /** The threads of its operators wait for each other. */
    @ParameterizedTest
    @CsvSource({"0.85, 0.4", "0.95, 0.9"})
    void aWaitForAnotherThreadMayBeTheModelsOwn(double awakeInside, double awakeOutside) {
        Ledger ledger = ledger(WaitReason.FUTEX, awakeInside, awakeOutside);

        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE))
                .isLessThan(Math.round(us(600) * Math.max(awakeInside, awakeOutside)));
    }

    /** The only state row is longer than the only call: nothing shows on which side of its end the thread waited. */
    @ParameterizedTest
    @EnumSource(
            value = WaitReason.class,
            names = {"TIMER", "LOCK", "FUTEX"})
    void aRowThatIsLongerThanTheOnlyCallPlacesNothing(WaitReason reason) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 1000, "serve.py");
        fixture.activity(RangeActivity.INTERPRETER);
        fixture.scope("main", 200, 800, "forward Model").activity(RangeActivity.MODEL);
        fixture.state("main", 0, 1000, 600, 0, reason);

        assertThat(ledger(fixture).ns(LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(us(360));
    }

    @Test
    void theGilIsTakenInsideModelsToo() {
        Ledger ledger = ledger(WaitReason.GIL, 1.0, 0.0);

        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE)).isLessThan(us(600));
    }

    private static Ledger ledger(WaitReason reason, double awakeInside, double awakeOutside) {
        return ledger(program(reason, awakeInside, awakeOutside));
    }

    private static Ledger ledger(TimelineFixture fixture) {
        return new Analyzer()
                .analyze(fixture.build(), "program").ledgers().stream()
                        .filter(ledger -> ledger.part() == LedgerPart.WINDOW)
                        .findFirst()
                        .orElseThrow();
    }

    private static TimelineFixture program(WaitReason reason, double awakeInside, double awakeOutside) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 1000, "serve.py");
        fixture.activity(RangeActivity.INTERPRETER);
        for (int us = 0; us < 1000; us += 100) {
            fixture.scope("main", us, us + 60, "forward Model").activity(RangeActivity.MODEL);
        }
        for (int i = 0; i + 1 < STRETCHES_US.length; i++) {
            int insideUs = modelUs(STRETCHES_US[i + 1]) - modelUs(STRETCHES_US[i]);
            int outsideUs = STRETCHES_US[i + 1] - STRETCHES_US[i] - insideUs;
            double awakeUs = insideUs * awakeInside + outsideUs * awakeOutside;
            fixture.state("main", STRETCHES_US[i], STRETCHES_US[i + 1], awakeUs, 0, reason);
        }
        return fixture;
    }

    private static int modelUs(int untilUs) {
        return untilUs / 100 * 60 + Math.min(60, untilUs % 100);
    }
}

package io.inferscope.analyzer.activity;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.timeline.Activity;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** A script calls its model for 60 us of each 100; its states are counted over stretches that hold both. */
class OutsideModelTest {
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

    @Test
    void aFutexMayBeTheModelsOwn() {
        Ledger ledger = ledger(WaitReason.FUTEX, 1.0, 0.0);

        assertThat(ledger.ns(LedgerClass.CPU_MODEL_COMPUTE)).isLessThan(us(600));
    }

    private static Ledger ledger(WaitReason reason, double awakeInside, double awakeOutside) {
        return new Analyzer()
                .analyze(program(reason, awakeInside, awakeOutside).build(), "program").ledgers().stream()
                        .filter(ledger -> ledger.part() == LedgerPart.WINDOW)
                        .findFirst()
                        .orElseThrow();
    }

    private static TimelineFixture program(WaitReason reason, double awakeInside, double awakeOutside) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 1000, "serve.py");
        fixture.activity(Activity.INTERPRETER);
        for (int us = 0; us < 1000; us += 100) {
            fixture.scope("main", us, us + 60, "forward Model").activity(Activity.MODEL);
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

package io.inferscope.analyzer.blame;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** Idle time of a device whose launching thread does nothing else, and of one without launches. */
class OtherThreadsTest {
    private static Ledger ledger(TimelineFixture timeline) {
        return Analysis.of(timeline.build(), Thresholds.defaults()).ledger();
    }

    /** Operators of 20 us on the thread "main"; the thread "queue" launches each for 2 us, its kernel runs for 4 us. */
    private static TimelineFixture handingOver(String launch) {
        TimelineFixture timeline = TimelineFixture.blank();
        for (int i = 0; i < 3; i++) {
            timeline.operator("main", 20 * i, 20 * i + 20, "aten::mm")
                    .kernel("7", 20 * i + 12, 20 * i + 16, "gemm")
                    .launchedBy("queue", 20 * i + 10, 20 * i + 12, launch);
        }
        return timeline;
    }

    @Test
    void timeBeforeALaunchIsThatOfTheThreadWhoseOperatorItIs() {
        Ledger ledger = ledger(handingOver("Node@launch").host(RowKind.OPERATOR, "queue", 29, 33, "Dequeue@aclnnMm"));

        assertThat(ledger.ns(LedgerClass.FRAMEWORK_DISPATCH)).isEqualTo(us(2 * 14));
        assertThat(ledger.ns(LedgerClass.UNATTRIBUTED)).isZero();
    }

    @Test
    void aThreadWithWorkOfItsOwnIsBlamedForIt() {
        Ledger ledger = ledger(handingOver("cudaLaunchKernel").scope("queue", 17, 29, "sort"));

        assertThat(ledger.ns(LedgerClass.FRAMEWORK_DISPATCH)).isZero();
    }

    @Test
    void severalThreadsWithOperatorsAreNotToldApart() {
        TimelineFixture timeline = handingOver("Node@launch");
        for (int i = 0; i < 3; i++) {
            timeline.operator("other", 20 * i, 20 * i + 20, "aten::mm");
        }

        assertThat(ledger(timeline).ns(LedgerClass.UNATTRIBUTED)).isEqualTo(us(2 * 14));
    }

    /** A TPU's operations from 0 to 10 and from 90 to 100 us; the host compiles from 20 to 70 us. */
    private static TimelineFixture compiling() {
        return TimelineFixture.blank()
                .device("TPU:0")
                .kernel("ops", 0, 10, "fusion")
                .kernel("ops", 90, 100, "fusion")
                .scope("main", 20, 70, "backend_compile")
                .activity(RangeActivity.LOAD)
                .scope("main", 25, 60, "HloPass")
                .activity(RangeActivity.LOAD);
    }

    @Test
    void aDeviceWithoutLaunchesIdlesWhileTheHostCompiles() {
        Ledger ledger = ledger(compiling());

        assertThat(ledger.ns(LedgerClass.FRAMEWORK_COMPILE_LOAD)).isEqualTo(us(50));
        assertThat(ledger.ns(LedgerClass.UNATTRIBUTED)).isEqualTo(us(30));
    }

    @Test
    void aDeviceWithLaunchesWaitsForThese() {
        Ledger ledger = ledger(compiling().kernel("ops", 110, 120, "fusion").launchedBy("main", 102, 104));

        assertThat(ledger.ns(LedgerClass.FRAMEWORK_COMPILE_LOAD)).isZero();
        assertThat(ledger.ns(LedgerClass.UNATTRIBUTED)).isEqualTo(us(80 + 2));
    }
}

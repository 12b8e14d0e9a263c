package io.inferscope.analyzer.blame;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** Whose the tail of a device is when the process that launched last ends before the window does. */
class TailBlameTest {
    /** A child process, 2, launches the last kernel and lives until {@code childEndsUs}; the parent, 1, sleeps from 40 to 100. */
    private static Ledger tail(double childEndsUs, boolean parentLaunches) {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.state("1", 40, 100, 0, 0, WaitReason.TIMER);
        fixture.kernel("7", 4, 10, "first");
        if (parentLaunches) {
            fixture.launchedBy("1", 0, 2);
        }
        TimelineBuilder builder = fixture.builder();
        int parent = builder.track(TrackKind.PROCESS, -1, "1");
        int child = builder.track(TrackKind.PROCESS, -1, "2");
        int thread = builder.track(TrackKind.THREAD, child, "2");
        builder.row(RowKind.PROCESS, parent, 0, us(100), builder.name("main.py"));
        builder.row(RowKind.PROCESS, child, us(10), us(childEndsUs), builder.name("engine.py"));
        int call = builder.row(RowKind.RUNTIME_CALL, thread, us(20), us(22), builder.name("cudaLaunchKernel"));
        builder.row(RowKind.ANNOTATION, thread, us(30), us(40), builder.name("tokenize"));
        builder.property("process.2.parent", "1");
        fixture.kernel("8", 24, 30, "last");
        builder.link(io.inferscope.timeline.LinkKind.LAUNCH, call, fixture.lastRow(), 100);
        return new Analyzer()
                .analyze(fixture.build(), "tail").ledgers().stream()
                        .filter(ledger -> ledger.part() == LedgerPart.TAIL)
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void belongsToTheThreadThatLaunchedLastWhileItsProcessLives() {
        Ledger tail = tail(100, true);
        assertThat(tail.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(10));
        assertThat(tail.ns(LedgerClass.UNATTRIBUTED)).isEqualTo(us(60));
    }

    @Test
    void thenToTheThreadThatLaunchedLastOfThoseThatLiveOn() {
        Ledger tail = tail(40, true);
        assertThat(tail.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(10));
        assertThat(tail.ns(LedgerClass.WAIT_TIMER)).isEqualTo(us(60));
    }

    @Test
    void orToTheMainThreadOfItsParent() {
        Ledger tail = tail(40, false);
        assertThat(tail.ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(10));
        assertThat(tail.ns(LedgerClass.WAIT_TIMER)).isEqualTo(us(60));
    }
}

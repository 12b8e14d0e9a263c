package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import org.junit.jupiter.api.Test;

/** Waits of one thread, read every 10 units of time. */
class TimedWaitsTest {
    private final TimedWaits waits = new TimedWaits();
    private long nowNs = 1000;

    /** A wait that begins within 10 units before now, lasts at least {@code length}, and is over 10 units later. */
    private void waiting(long timeoutNs, long length) {
        waits.begin(nowNs - 10, nowNs, timeoutNs);
        for (long end = nowNs + length; nowNs + 10 <= end; nowNs += 10) {
            waits.goesOn(nowNs + 10);
        }
        nowNs += 10;
        waits.end(nowNs);
    }

    @Test
    void waitsThatLastUntilTheirTimeoutAreSleep() {
        assertThat(waits.runOut()).isFalse();
        waiting(100, 90);
        assertThat(waits.runOut()).isTrue();
    }

    @Test
    void waitsThatEndBeforeAreNot() {
        waiting(1000, 50);
        assertThat(waits.runOut()).isFalse();
        waiting(100, 90);
        assertThat(waits.runOut()).as("as many as the others").isFalse();
        waiting(100, 90);
        assertThat(waits.runOut()).isTrue();
        for (int i = 0; i < 20; i++) {
            waiting(100, 90);
        }
        for (int i = 0; i < 4; i++) {
            waiting(1000, 50);
        }
        assertThat(waits.runOut()).as("the last ones decide").isFalse();
    }

    @Test
    void ofAWaitForSocketsTheTimeoutIsNoted() {
        WaitCause sockets = new WaitCause(WaitReason.SOCKET, "epoll_wait", 0, 7);
        assertThat(sockets.endedByTimeout())
                .isEqualTo(new WaitCause(WaitReason.SOCKET, WaitDetail.ENDED_BY_TIMEOUT.text(), 0, 7));
        assertThat(new WaitCause(WaitReason.PIPE, "epoll_wait").endedByTimeout())
                .isEqualTo(new WaitCause(WaitReason.TIMER, "epoll_wait"));
    }

    @Test
    void waitsWithoutATimeoutOrShorterThanTheReadingsShowAreNoEvidence() {
        waiting(0, 50);
        waiting(15, 0);
        assertThat(waits.runOut()).isFalse();
        waiting(100, 90);
        waiting(0, 50);
        waiting(15, 0);
        assertThat(waits.runOut()).isTrue();
    }
}

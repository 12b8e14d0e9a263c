package io.inferscope.formats.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the JVM knows of a wait, put into what the kernel measured. */
class HostStatesTest {
    private final TimelineBuilder builder = new TimelineBuilder();
    private final int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "7"), "8");

    @Test
    void waitCutsTheBlockedStretchThatItLiesIn() {
        state(0, 100, 0, WaitReason.FUTEX);
        new HostStates(builder).refine(thread, wait(30, 60, WaitReason.LOCK, 9));
        assertThat(states()).containsExactly("0-30 FUTEX ", "30-60 LOCK JavaMonitorEnter X by 9", "60-100 FUTEX ");
    }

    @Test
    void waitMayCoverSeveralStretchesAndBeginBeforeThem() {
        state(10, 20, 0, WaitReason.FUTEX);
        state(20, 40, 0, WaitReason.UNKNOWN);
        new HostStates(builder).refine(thread, wait(5, 30, WaitReason.TIMER, 0));
        assertThat(states())
                .containsExactly("10-20 TIMER JavaMonitorEnter X", "20-30 TIMER JavaMonitorEnter X", "30-40 UNKNOWN ");
    }

    @Test
    void severalWaitsCutOneStretch() {
        state(0, 100, 0, WaitReason.FUTEX);
        HostStates states = new HostStates(builder);
        states.refine(thread, wait(60, 70, WaitReason.LOCK, 0));
        states.refine(thread, wait(10, 20, WaitReason.TIMER, 0));
        states.refine(thread, wait(80, 200, WaitReason.SOCKET, 0));
        assertThat(states())
                .containsExactly(
                        "0-10 FUTEX ",
                        "10-20 TIMER JavaMonitorEnter X",
                        "20-60 FUTEX ",
                        "60-70 LOCK JavaMonitorEnter X",
                        "70-80 FUTEX ",
                        "80-100 SOCKET JavaMonitorEnter X");
    }

    @Test
    void whatRanLiesBesideTheWait() {
        state(0, 100, 40, WaitReason.FUTEX);
        new HostStates(builder).refine(thread, wait(20, 60, WaitReason.LOCK, 0));
        assertThat(states())
                .containsExactly("0-20 FUTEX  ran 13", "20-60 LOCK JavaMonitorEnter X", "60-100 FUTEX  ran 27");
    }

    @Test
    void whatDoesNotFitBesideTheWaitIsInIt() {
        state(0, 100, 90, WaitReason.FUTEX);
        new HostStates(builder).refine(thread, wait(20, 60, WaitReason.LOCK, 0));
        assertThat(states())
                .containsExactly("0-20 FUTEX  ran 20", "20-60 LOCK JavaMonitorEnter X ran 30", "60-100 FUTEX  ran 40");
    }

    @Test
    void parkedThreadKeepsTheKernelsReason() {
        state(0, 10, 0, WaitReason.SOCKET);
        new HostStates(builder).refine(thread, wait(0, 10, WaitReason.FUTEX, 0));
        assertThat(states()).containsExactly("0-10 SOCKET JavaMonitorEnter X");
    }

    private static String ran(Timeline timeline, int row) {
        long cpuNs = timeline.attribute(row, Attribute.ON_CPU_NS);
        return cpuNs == 0 ? "" : " ran " + cpuNs;
    }

    private static JfrWait wait(long startNs, long endNs, WaitReason reason, long owner) {
        return new JfrWait(startNs, endNs, reason, "JavaMonitorEnter X", -1, owner);
    }

    private void state(long startNs, long endNs, long onCpuNs, WaitReason reason) {
        int row = builder.row(RowKind.THREAD_STATE, thread, startNs, endNs, builder.name("state"));
        builder.attribute(row, Attribute.ON_CPU_NS, onCpuNs);
        builder.attribute(row, Attribute.RUNNABLE_NS, 0);
        builder.attribute(row, Attribute.WAIT_REASON, reason.ordinal());
    }

    private List<String> states() {
        Timeline timeline = builder.build("test");
        List<String> states = new ArrayList<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            boolean said = timeline.attribute(row, Attribute.DETAIL) != Attribute.ABSENT;
            long owner = timeline.attribute(row, Attribute.OTHER_THREAD);
            states.add(timeline.startNs(row) + "-" + timeline.endNs(row) + " "
                    + WaitReason.of(timeline.attribute(row, Attribute.WAIT_REASON)) + " "
                    + (said ? timeline.attributeText(row, Attribute.DETAIL) : "")
                    + (owner == Attribute.ABSENT ? "" : " by " + owner) + ran(timeline, row));
        }
        return states;
    }
}

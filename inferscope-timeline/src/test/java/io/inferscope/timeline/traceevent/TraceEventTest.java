package io.inferscope.timeline.traceevent;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class TraceEventTest {
    @Test
    void theSeriesOfACounterAreJoinedInOrderAndAnewForEachEvent() {
        TraceEvent event = new TraceEvent();
        assertThat(joined(event, 2)).isEqualTo("v\n0\nv\n1");
        assertThat(joined(event, 1)).isEqualTo("v\n0");

        event.reset(0);
        assertThat(event.text(Arg.SERIES, "none")).isEqualTo("none");
    }

    @Test
    void tenTimesTheSeriesOfOneEventTakeTenTimesTheMemory() {
        joined(new TraceEvent(), 10);

        assertThat(allocatedBytes(50_000)).isLessThan(13 * allocatedBytes(5_000));
    }

    private static long allocatedBytes(int count) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        joined(new TraceEvent(), count);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static String joined(TraceEvent event, int count) {
        event.reset(0);
        for (int i = 0; i < count; i++) {
            event.put(Arg.SERIES, "v");
            event.put(Arg.SERIES, Integer.toString(i));
        }
        return event.text(Arg.SERIES, "");
    }
}

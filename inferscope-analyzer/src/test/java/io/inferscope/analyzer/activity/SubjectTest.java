package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** Which thread of a program of several processes is judged. */
class SubjectTest {
    /** A driver, 10, is on a CPU for some of 1000 us while each of the other processes calls the model for 200 us and is on a CPU for 500 us. */
    private static String judged(int driverUs, String... modelProcesses) {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("10")
                .scope("10", 0, 1000, "driver.py")
                .state("10", 0, 1000, driverUs, 0, WaitReason.UNKNOWN);
        fixture.builder().trackName(fixture.builder().track(TrackKind.PROCESS, -1, "10"), "driver.py");
        for (String pid : modelProcesses) {
            fixture.process(pid)
                    .property("process." + pid + ".parent", "10")
                    .state(pid, 10, 990, 500, 0, WaitReason.SOCKET)
                    .scope(pid, 100, 300, "forward Linear");
            fixture.builder().attribute(fixture.lastRow(), Attribute.ACTIVITY, RangeActivity.MODEL.ordinal());
            fixture.builder().trackName(fixture.builder().track(TrackKind.PROCESS, -1, pid), "worker.py");
        }
        return new Analyzer().analyze(fixture.build(), "driver").judged().subject();
    }

    @Test
    void aDriverThatWaitsIsReplacedByTheProcessThatCallsTheModel() {
        assertThat(judged(100, "11")).contains("thread 11");
    }

    @Test
    void aDriverThatWorksLongerIsJudged() {
        assertThat(judged(600, "11")).contains("thread 10");
    }

    @Test
    void aDriverOfSeveralSuchProcessesIsJudged() {
        assertThat(judged(100, "11", "12")).contains("thread 10");
    }
}

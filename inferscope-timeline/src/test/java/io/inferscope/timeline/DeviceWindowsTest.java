package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class DeviceWindowsTest {
    /** Windows of 100 us in each 200 us. */
    private static final Intervals WINDOWS = new Intervals.Builder(4)
            .add(0, 100_000)
            .add(200_000, 300_000)
            .add(400_000, 500_000)
            .add(600_000, 650_000)
            .build();

    @Test
    void theLastWholeWindowIsJudged() {
        Timeline timeline = TimelineFixture.blank()
                .kernel("7", 10, 60, "a")
                .kernel("7", 410, 460, "a")
                .kernel("7", 610, 640, "a")
                .build();
        assertThat(DeviceWindows.toJudge(timeline, WINDOWS)).isEqualTo(2);
    }

    @Test
    void aWindowAfterTheDevicesWorkIsNotJudged() {
        Timeline timeline = TimelineFixture.blank()
                .kernel("7", 10, 60, "a")
                .kernel("7", 210, 260, "a")
                .kernel("7", 410, 412, "the end's")
                .build();
        assertThat(DeviceWindows.toJudge(timeline, WINDOWS)).isEqualTo(1);
    }

    @Test
    void withoutDeviceWorkTheLastWholeWindowIsJudged() {
        assertThat(DeviceWindows.toJudge(TimelineFixture.blank().build(), WINDOWS))
                .isEqualTo(2);
    }
}

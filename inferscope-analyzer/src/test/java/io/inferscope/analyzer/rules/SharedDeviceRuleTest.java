package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.ClockRuleTest.computing;
import static io.inferscope.analyzer.rules.ClockRuleTest.count;
import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.inferscope.analyzer.SharedDevice;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SharedDeviceRuleTest {
    private final Rule rule = new SharedDeviceRule();

    private static Timeline processes(double... counts) {
        var fixture = computing();
        for (int i = 0; i < counts.length; i++) {
            count(fixture, DeviceCounters.PROCESSES, 1_000 + 10_000 * i, counts[i]);
        }
        return fixture.build();
    }

    @Test
    void aProcessThatIsNotRecordedIsAWarning() {
        Finding finding = found(rule, processes(2, 2, 3, 1));

        assertThat(finding.claim())
                .startsWith(
                        "Device 0 is shared with others: in 75.0% of the driver's readings more processes had a context on it,"
                                + " up to 3, than the 1 in this recording.");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void processesOfTheRecordingShareItToo() {
        assertThat(found(rule, twoProcesses(2)).claim())
                .startsWith(
                        "Processes of this recording share device 0: 40.0% of its kernel time belongs to other processes");
    }

    @Test
    void equalNumbersOfUnlikeDevicesAreNotShared() {
        assertThat(clean(rule, twoProcesses(1))).contains("no more processes");
    }

    /** A second process launches on a device of the same number; the driver counts {@code processes} on it. */
    private static Timeline twoProcesses(double processes) {
        var fixture = TimelineFixture.blank();
        int other = fixture.builder().track(TrackKind.PROCESS, -1, "2");
        fixture.kernel("7", 0, 60_000, "gemm").launchedBy("main", 0, 5).kernel("8", 60_000, 100_000, "gemm");
        int thread = fixture.builder().track(TrackKind.THREAD, other, "3");
        int kernel = fixture.lastRow();
        int call = fixture.builder()
                .row(
                        RowKind.RUNTIME_CALL,
                        thread,
                        us(59_000),
                        us(59_005),
                        fixture.builder().name("cudaLaunchKernel"));
        fixture.linked(call, kernel);
        for (int at = 1_000; at < 100_000; at += 10_000) {
            count(fixture, DeviceCounters.PROCESSES, at, processes);
        }
        return fixture.build();
    }

    @Test
    void kernelsOfProcessesWithoutRecordedWorkAreTheirs() {
        Finding finding = found(rule, SharedDevice.takingTurns(2));

        assertThat(finding.claim())
                .startsWith(
                        "Device 0 is shared with others: for 1.79 s, 60.0% of its steady state, the driver counted it busy with"
                                + " kernels that are not in this recording, with up to 2 processes on it.");
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.costNs()).isCloseTo(us(1_800_000), withinPercentage(1));
    }

    @Test
    void kernelsThatNoOtherProcessCanHaveRunAreMissing() {
        assertThat(clean(rule, SharedDevice.takingTurns(1))).contains("no more processes");
    }

    @Test
    void theProgramAloneIsClean() {
        assertThat(clean(rule, processes(1, 1, 1, 1))).contains("no more processes");
    }

    @Test
    void aDriverThatDoesNotSeeProcessesIsClean() {
        assertThat(clean(rule, processes(0, 0))).contains("no more processes");
    }

    @Test
    void oneReadingIsNoSharing() {
        assertThat(clean(rule, processes(2, 1, 1, 1, 1, 1, 1, 1, 1, 1))).contains("no more processes");
    }

    @Test
    void whatIsNotCountedIsNotJudged() {
        assertThat(notApplicable(rule, processes())).isEqualTo("how many processes use the device is not recorded");
    }
}

package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class FileIoRuleTest extends HostTimeRuleContract {
    FileIoRuleTest() {
        super(new FileIoRule(), 2);
    }

    @Override
    TimelineFixture spend(TimelineFixture fixture, double fromUs, double toUs) {
        return fixture.state("main", fromUs, toUs, 0, 0, WaitReason.FILE_IO);
    }

    @Test
    void writingIntoThePageCacheCountsToo() {
        TimelineFixture timeline = TimelineFixture.blank()
                .sample("main", 0, 60, "serve.py(7): step")
                .sample("main", 60, 100, "serve.py(9): log", "ksys_write [kernel]", "rep_movs_alternative [kernel]");

        assertThat(found(new FileIoRule(), timeline.build()).claim())
                .isEqualTo("File I/O takes 40.0 us of the critical thread, 40.0% of the window.");
    }

    /** A wait for a file may be for its last bytes to reach the disk. */
    @Test
    void whoWaitsForFilesIsNotToldOfReadingAlone() {
        TimelineFixture timeline =
                TimelineFixture.blank().scope("main", 0, 100, "step").state("main", 0, 100, 0, 0, WaitReason.FILE_IO);

        assertThat(found(new FileIoRule(), timeline.build()).advice()).contains("Read ahead", "sync less often");
    }

    /** Nsight Systems records the C library's calls as waits. */
    @Test
    void aWaitOutsideAnyActivityIsNamedByItsCall() {
        TimelineFixture timeline = TimelineFixture.blank()
                .kernel("7", 0, 10, "k")
                .host(RowKind.THREAD_STATE, "main", 20, 80, "fopen")
                .text(Attribute.DETAIL, "fopen");
        timeline.builder().attribute(timeline.lastRow(), Attribute.WAIT_REASON, WaitReason.FILE_IO.ordinal());
        timeline.kernel("7", 90, 100, "k").launchedBy("main", 85, 88);

        assertThat(found(new FileIoRule(), timeline.build()).places()).contains("fopen");
    }
}

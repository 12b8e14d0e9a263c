package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static org.assertj.core.api.Assertions.assertThat;

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
}

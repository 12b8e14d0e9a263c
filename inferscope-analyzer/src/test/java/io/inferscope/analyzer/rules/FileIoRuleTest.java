package io.inferscope.analyzer.rules;

import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;

class FileIoRuleTest extends HostTimeRuleContract {
    FileIoRuleTest() {
        super(new FileIoRule(), 2);
    }

    @Override
    TimelineFixture spend(TimelineFixture fixture, double fromUs, double toUs) {
        return fixture.state("main", fromUs, toUs, 0, 0, WaitReason.FILE_IO);
    }
}

package io.inferscope.analyzer.rules;

import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;

class LockContentionRuleTest extends HostTimeRuleContract {
    LockContentionRuleTest() {
        super(new LockContentionRule(), 2);
    }

    @Override
    TimelineFixture spend(TimelineFixture fixture, double fromUs, double toUs) {
        return fixture.state("main", fromUs, toUs, 0, 0, WaitReason.LOCK);
    }
}

package io.inferscope.analyzer.rules;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;

class GarbageCollectionRuleTest extends HostTimeRuleContract {
    GarbageCollectionRuleTest() {
        super(new GarbageCollectionRule(), 2);
    }

    @Override
    TimelineFixture spend(TimelineFixture fixture, double fromUs, double toUs) {
        return fixture.host(RowKind.GC, "main", fromUs, toUs, "gc");
    }
}

package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class PageFaultsRuleTest extends HostTimeRuleContract {
    PageFaultsRuleTest() {
        super(new PageFaultsRule(), 2);
    }

    @Override
    TimelineFixture spend(TimelineFixture fixture, double fromUs, double toUs) {
        return fixture.state("main", fromUs, toUs, 0, 0, WaitReason.PAGE_FAULT);
    }

    @Test
    void faultsServedOnACpuCountToo() {
        TimelineFixture timeline = TimelineFixture.blank()
                .sample("main", 0, 60, "serve.py(7): step")
                .sample("main", 60, 100, "serve.py(9): grow", "memset [libc.so.6]", "exc_page_fault [kernel]");

        assertThat(found(new PageFaultsRule(), timeline.build()).claim())
                .isEqualTo("Page faults take 40.0 us of the critical thread, 40.0% of the window.");
    }
}

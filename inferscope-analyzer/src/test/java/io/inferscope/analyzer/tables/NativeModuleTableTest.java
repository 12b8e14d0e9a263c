package io.inferscope.analyzer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.model.HostTables.NativeModuleFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

class NativeModuleTableTest {
    private static List<NativeModuleFigures> modules(Timeline timeline) {
        return NativeModuleTable.of(Analysis.of(timeline, Thresholds.defaults()));
    }

    @Test
    void samplesBelongToTheFileOfTheirInnermostFunction() {
        Timeline timeline = TimelineFixture.blank()
                .sample("main", 0, 40, "a.py(7): step", "pack [_pack.so]", "memcpy [libc.so.6]")
                .sample("main", 40, 100, "a.py(7): step", "pack [_pack.so]")
                .sample("helper", 0, 30, "a.py(9): load", "memset [libc.so.6]")
                .sample("helper", 30, 50, "a.py(9): load", "a.py(11): read")
                .property("process.1.module.libc.so.6.path", "/lib/libc.so.6")
                .property("process.1.module.libc.so.6.build_id", "6196744a")
                .build();

        assertThat(modules(timeline))
                .extracting(
                        NativeModuleFigures::process,
                        NativeModuleFigures::module,
                        NativeModuleFigures::path,
                        NativeModuleFigures::buildId,
                        NativeModuleFigures::samples,
                        NativeModuleFigures::selfNs)
                .containsExactly(
                        tuple("1", "libc.so.6", "/lib/libc.so.6", "6196744a", 2L, 70_000L),
                        tuple("1", "_pack.so", "", "", 1L, 60_000L));
    }

    @Test
    void waitsAreNoWorkOfALibrary() {
        Timeline timeline = TimelineFixture.blank()
                .sample("main", 0, 40, "a.py(7): step", "epoll_wait [libc.so.6]")
                .build();

        assertThat(modules(timeline)).isEmpty();
    }

    @Test
    void aThreadThatWasSeenAsleepDoesNoWorkOfTheLibraryThatItCalls() {
        TimelineFixture fixture =
                TimelineFixture.blank().sample("main", 0, 40, "a.py(7): next", "called SimpleQueue.get [_queue.so]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.GIL, SampledGil.BLOCKED);

        assertThat(modules(fixture.build())).isEmpty();
    }
}

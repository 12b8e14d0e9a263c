package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.merge.Recording;
import io.inferscope.timeline.merge.TimelineMerge;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A trace that InferScope wrote holds its properties, and anyone can write one: a number may be any text, a process its own parent. */
class HostilePropertiesTest {
    private static final List<String> VALUES = List.of(
            "",
            "x",
            "1",
            "-1",
            "99999999999999999999999",
            "-9223372036854775808",
            "1-2,3-9223372036854775807",
            "ran node 99999999999 99999999999999 %, GPU 0 at node 99999999999");

    /** The number of a recording's cut is one for the merge, too. */
    @Test
    void noValueOfAPropertyOfACutBreaksTheReportOnTwo(@TempDir Path folder) throws Exception {
        Timeline timeline = CoreFormats.load(TraceFile.ofHalfIdleDevice(folder));
        for (String name : List.of(TimelineInfo.CUT, TimelineInfo.CUT_UNKNOWN, TimelineInfo.CONTRADICTIONS)) {
            for (String value : VALUES) {
                Timeline merged = TimelineMerge.of(List.of(
                        new Recording("a", timeline.with(name, value), null),
                        new Recording("b", timeline.with(name, value), -1_000L)));

                assertThat(new Analyzer().explain(merged, "x").report().failures())
                        .as(Map.entry(name, value).toString())
                        .isEmpty();
            }
        }
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void noValueOfAnyPropertyBreaksTheReport(@TempDir Path folder) throws Exception {
        for (Path file :
                List.of(TraceFile.ofHalfIdleDevice(folder), Path.of("../python/tests/golden/spool-v1.spool"))) {
            Timeline timeline =
                    CoreFormats.load(file).with("source.0.name", "n").with("source.0.format", "f");
            List<String> names = new ArrayList<>(timeline.properties().keySet());
            names.addAll(List.of(
                    "source.0.offset_ns",
                    "source.0.error_bound_ns",
                    "inferscope.exit_code",
                    "inferscope.device_unrecorded_ns",
                    "inferscope.device_windows",
                    "inferscope.recorded_until_ns",
                    "samples_assumed_period_ns",
                    "run.host.numa",
                    "process.1.host.numa.node",
                    "run.host.gpu.0.node",
                    "process.1.parent",
                    "device.0.sms",
                    "device.0.memory_bytes",
                    TimelineInfo.GRAPH_NODES,
                    TimelineInfo.CAPTURES,
                    TimelineInfo.CONTRADICTIONS,
                    TimelineInfo.CUT,
                    TimelineInfo.CUT_UNKNOWN,
                    TimelineInfo.UNTRACED));
            for (String name : names) {
                for (String value : VALUES) {
                    Report report = new Analyzer()
                            .explain(timeline.with(name, value), "x")
                            .report();

                    assertThat(report.failures())
                            .as(Map.entry(name, value).toString())
                            .isEmpty();
                }
            }
        }
    }
}

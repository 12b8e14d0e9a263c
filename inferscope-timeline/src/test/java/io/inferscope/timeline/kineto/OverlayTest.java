package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is drawn beside a recording does not become part of it. */
class OverlayTest {
    private static final Timeline DRAWN = TimelineFixture.draw("""
            us           0    10   20   30
            thread main  [tokenize]LLYYYYYY
            stream 7     ............KKKK..
            links in order
            """);

    @Test
    void anOverlayIsWrittenAndLeftOutWhenRead(@TempDir Path folder) throws Exception {
        Path plain = folder.resolve("plain.json");
        Path drawn = folder.resolve("drawn.json");
        KinetoExporter.write(DRAWN, plain);

        KinetoExporter.write(DRAWN, drawn, pieces -> {
            pieces.piece("tokenize", "cpu.tokenization", "thread main", "", 0, 20_000);
            pieces.piece("", "gpu.compute", "device 0 stream 7", "app.py:3 run", 20_000, 30_000);
        });

        assertThat(Files.readString(drawn))
                .contains("\"cat\":\"inferscope.critical_path.v1\"")
                .contains("\"name\":\"gpu.compute\"");
        assertThat(phases(drawn)).containsExactly("B", "E", "B", "E");
        Timeline again = CoreFormats.load(drawn);
        assertThat(TimelineDump.of(again)).isEqualTo(TimelineDump.of(CoreFormats.load(plain)));
        assertThat(again.importStats().count(Reason.OVERLAY)).isEqualTo(4);
    }

    /** HTA and TraceLens count ranges of phase X alone: nothing of an overlay is one, in whatever order they are read. */
    private static List<String> phases(Path file) throws Exception {
        Matcher matcher = Pattern.compile("\"ph\":\"(.)\",\"cat\":\"inferscope.critical_path")
                .matcher(Files.readString(file));
        return matcher.results().map(result -> result.group(1)).toList();
    }

    @Test
    void anOverlayOfRangesAsEarlierVersionsWroteItIsLeftOutToo(@TempDir Path folder) throws Exception {
        Path old = folder.resolve("old.json");
        Files.writeString(old, """
                {"traceEvents":[
                {"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":0,"dur":5,"args":{}},
                {"ph":"X","cat":"inferscope.critical_path.v1","name":"aten::add","pid":"critical path","tid":"critical path","ts":0,"dur":5,"args":{}}
                ]}
                """);
        Timeline timeline = CoreFormats.load(old);

        assertThat(timeline.rowCount()).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.OVERLAY)).isEqualTo(1);
    }
}

package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TimelineFixture;
import io.inferscope.timeline.importer.Importers;
import java.nio.file.Files;
import java.nio.file.Path;
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
        Timeline again = Importers.core().load(drawn);
        assertThat(TimelineDump.of(again))
                .isEqualTo(TimelineDump.of(Importers.core().load(plain)));
        assertThat(again.importStats().count(Reason.OVERLAY)).isEqualTo(2);
    }
}

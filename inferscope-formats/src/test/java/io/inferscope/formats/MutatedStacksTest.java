package io.inferscope.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mutated stacks: the importers end, and their only complaint is an ImportException of one line. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class MutatedStacksTest {
    private static final String SPEEDSCOPE = """
            {"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[
            {"type":"sampled","name":"Process 4 Thread 7 \\"wörker\\"","unit":"seconds","startValue":0.5,"endValue":9,
             "samples":[[0,1],[],[0,1,2],[3]],"weights":[0.01,2,0.01,1e-3]},
            {"type":"evented","name":"t","unit":"microseconds","events":[{"type":"O","frame":0,"at":1},
             {"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":5},{"type":"C","frame":0,"at":8.5}]}],
            "shared":{"frames":[{"name":"main","file":"serve.py","line":3,"col":null},{"name":"work","file":"serve.py","line":9},
            {"name":"select","file":"libc.so.6"},{"name":"gc"}]},"exporter":"py-spy@0.4.2"}
            """;
    private static final String FOLDED = """
            <module> (serve.py:46);main (serve.py:39) 20
            thread (7): worker;run (threading.py:9);<module> (serve.py:46) 3
            process 12:"python3";[main tid=9];com/acme/Serve.stöp_[j] 4
            """;
    private static final String[] SNIPPETS = {
        "NaN",
        "1e999",
        "-1",
        "99999999999",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        ";",
        " ",
        "\n",
        "null",
        "\u0000",
        "[[[["
    };

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void mutatedStacksNeverBreakTheImporters(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < Seeds.of(1_000, 8); i++) {
            byte[] content = (random.nextBoolean() ? SPEEDSCOPE : FOLDED).getBytes(StandardCharsets.UTF_8);
            content = random.nextInt(5) == 0 ? TraceFile.gzip(content) : content;
            importOrComplain(mutated(content, random), seed + "/" + i);
        }
    }

    private void importOrComplain(byte[] content, String what) {
        Path file = TraceFile.of(folder, "fuzzed", content);
        try {
            Timeline timeline = Formats.importers().load(file);
            assertThat(timeline.rowCount()).as(what).isPositive();
            for (int row = 0; row < timeline.rowCount(); row++) {
                assertThat(timeline.durationNs(row)).as(what).isNotNegative();
            }
        } catch (ImportException refused) {
            assertThat(refused.getMessage()).as(what).contains("fuzzed: ").doesNotContain("\n");
        }
    }

    private static byte[] mutated(byte[] content, Random random) {
        byte[] result = content.clone();
        for (int i = 1 + random.nextInt(4); i > 0 && result.length > 0; i--) {
            int at = random.nextInt(result.length);
            switch (random.nextInt(3)) {
                case 0 -> result[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> result = Arrays.copyOf(result, random.nextInt(4) == 0 ? at : result.length);
                default -> {
                    byte[] snippet = SNIPPETS[random.nextInt(SNIPPETS.length)].getBytes(StandardCharsets.UTF_8);
                    byte[] longer = Arrays.copyOf(result, result.length + snippet.length);
                    System.arraycopy(snippet, 0, longer, at, snippet.length);
                    System.arraycopy(result, at, longer, at + snippet.length, result.length - at);
                    result = longer;
                }
            }
        }
        return result.length == 0 ? new byte[] {'['} : result;
    }
}

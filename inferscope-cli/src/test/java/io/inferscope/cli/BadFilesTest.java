package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.Mutator;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TraceFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A thousand bad files of every format: each is one clear line, or is used as far as it is good. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BadFilesTest {
    private static final int FILES = Seeds.of(1_000, 3);
    private static final List<String> COMMANDS = List.of("analyze", "query", "convert");

    /** What says that nobody thought of it. */
    private static final List<String> UNCLEAR = List.of("Exception", "internal error", "null", "\tat ", "java.");

    @TempDir
    private Path folder;

    @Test
    void eachIsOneClearLine() throws Exception {
        Map<String, byte[]> whole = seeds();
        List<String> names = List.copyOf(whole.keySet());
        int refused = 0;
        for (int i = 0; i < FILES; i++) {
            Random random = new Random(i);
            String name = names.get(i % names.size());
            Path file = Files.write(folder.resolve("bad" + i + "-" + name), damaged(whole.get(name), random));
            String command = COMMANDS.get(i / names.size() % COMMANDS.size());
            String[] words = command.equals("convert")
                    ? new String[] {
                        command,
                        file.toString(),
                        "-o",
                        folder.resolve("out.json").toString()
                    }
                    : new String[] {command, file.toString()};
            TestProgram.Answer answer = TestProgram.run(words);

            assertThat(answer.exitCode())
                    .as("%s %s: %s", command, file, answer.err())
                    .isIn(0, 3);
            if (answer.exitCode() == 3) {
                refused++;
                assertThat(answer.err().lines().filter(line -> !isOfContents(line)))
                        .as("%s %s", command, file)
                        .singleElement()
                        .asString()
                        .startsWith("inferscope: ")
                        .contains("bad" + i + "-")
                        .doesNotContain(UNCLEAR)
                        .hasSizeLessThan(1_000);
            }
            Files.delete(file);
        }
        assertThat(refused).as("files that were refused").isGreaterThan(FILES / 3);
    }

    /** What is in an archive is told before it is read. */
    private static boolean isOfContents(String line) {
        return line.matches(".* holds \\d+ recordings?: .*");
    }

    /** Cut, flipped, filled, or what one format is not made for. */
    private static byte[] damaged(byte[] content, Random random) {
        return switch (random.nextInt(7)) {
            case 0 -> Arrays.copyOf(content, random.nextInt(content.length));
            case 1 -> Arrays.copyOf(content, random.nextInt(Math.min(64, content.length)));
            case 2 -> Mutator.mutated(content, random);
            case 3 -> Mutator.flipped(content, random);
            case 4 -> {
                byte[] noise = new byte[1 + random.nextInt(500)];
                random.nextBytes(noise);
                yield noise;
            }
            case 5 -> {
                byte[] tail = content.clone();
                Arrays.fill(tail, random.nextInt(content.length), content.length, (byte) random.nextInt());
                yield tail;
            }
            default -> {
                byte[] beginning = Arrays.copyOf(content, Math.min(content.length, 1 + random.nextInt(32)));
                yield Arrays.copyOf(beginning, beginning.length + random.nextInt(5_000));
            }
        };
    }

    private Map<String, byte[]> seeds() throws IOException {
        Map<String, byte[]> seeds = new LinkedHashMap<>();
        Path trace = TraceFile.ofHalfIdleDevice(folder);
        seeds.put("trace.json", Files.readAllBytes(trace));
        seeds.put("trace.json.gz", TraceFile.gzip(Files.readAllBytes(trace)));
        for (String format : List.of("sqlite", "parquet", "folded", "speedscope.json")) {
            Path made = folder.resolve("seed." + format);
            TestProgram.Answer answer = TestProgram.run("convert", trace.toString(), "-o", made.toString());
            assertThat(answer.exitCode()).as(answer.err()).isZero();
            if (Files.isRegularFile(made)) {
                seeds.put(format, Files.readAllBytes(made));
            }
        }
        Path report = folder.resolve("report.json");
        TestProgram.run("analyze", trace.toString(), "-o", report.toString());
        seeds.put("report.json", Files.readAllBytes(report));
        seeds.put("a.spool", Files.readAllBytes(Path.of("../python/tests/golden/spool-v1.1.spool")));
        seeds.put(
                "a.xplane.pb",
                Files.readAllBytes(Path.of("../inferscope-formats/src/test/resources/xla/host.xplane.pb")));
        seeds.put("trtexec", "[{\"name\":\"k\",\"timeMs\":1,\"averageMs\":1}]".getBytes(StandardCharsets.UTF_8));
        seeds.put("a.zip", zip(Files.readAllBytes(trace)));
        return seeds;
    }

    private static byte[] zip(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            out.putNextEntry(new ZipEntry("trace.json"));
            out.write(content);
        }
        return bytes.toByteArray();
    }
}

package io.inferscope.timeline.traceevent;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.Mutator;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TraceFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scanner says of every document what Jackson says: events, properties, losses and their places. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("traces")
class ScannerAgainstJacksonTest {
    private static final String SMALL = """
            {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "deep": {"x": [1.5e3, true, null]}}], "traceEvents": [
            {"ph":"X","cat":"user_annotation","name":"stäp \\u00e4\\n\\"","pid":1,"tid":"main","ts":0.5,"dur":90},
              {"name": "aten::mm", "cat": "cpu_op", "ph": "X", "ts": 1234567.0005, "dur": 70.123, "pid": 1, "tid": 2,
               "args": {"Input Dims": [[1, 2], [], ["a", {"b": -1e-5}]], "External id": 3, "Other": {"deep": [[[{}]]]}, "w": "x\\\\y"}},
            {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":-1,"tid":2,"ts":"3","dur":4,"args":{"correlation":7, "occupancy": inf, "w": "C:\\Users"}},
            {"ph":"C","name":"counter","pid":0,"ts":5,"args":{"used":0.25,"free":3}},{"ph":"C","name":"text","pid":0,"ts":6,"args":{"used":"0.5","x":"y","free":"3"}},
            {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},17,[{"ph":"X"}],
            {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":5e0,"args":{"device":0,"stream":7,"correlation":18446744073709551615,"bytes":"64"}},
            {"ph":"b","cat":"net","name":"send","id":"0x1","pid":1,"tid":2,"ts":40},{"id2": {"local": "0x1"}, "id": 7, "ph":"n","ts":41},
            {"ph":"s","id":3,"pid":1,"tid":2,"ts":5},{"id":"a\\nb","name":"send","ph":"e","cat":"net","pid":1,"tid":2,"ts":44},{"ph":"e","id":null},
            {"ph":"X","ph":"i","ts":NaN,"dur":-Infinity,"args":{}},{},
            {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":7,"ts":30.1234567,"dur":1,"args":{"bytes":64,}}
            ], "baseTimeNanoseconds": 17, "traceName": "a\\/b"}
            """;

    @TempDir
    private Path folder;

    static List<Path> traces() {
        return SharedTraces.kinetoForCostlyTests();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void onEveryRealTrace(Path trace) throws IOException {
        Path plain = folder.resolve("plain.json");
        try (InputStream in = new GZIPInputStream(Files.newInputStream(trace))) {
            Files.copy(in, plain);
        }
        ReaderRecord expected = ReaderRecord.of(new JacksonTraceEventReader(), trace);

        assertSame(ReaderRecord.of(new ScanningTraceEventReader(), trace), expected, "gzip");
        assertSame(ReaderRecord.of(new ScanningTraceEventReader(), plain), expected, "plain");
        assertSame(ReaderRecord.of(new ScanningTraceEventReader(5000, 1 << 20, 1), plain), expected, "small window");
        assertSame(ReaderRecord.of(new ScanningTraceEventReader(5000, 20_000, 3), plain), expected, "small segments");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void onMutatedDocuments(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < Seeds.of(400, 4); i++) {
            byte[] content = SMALL.getBytes(StandardCharsets.UTF_8);
            compare(i == 0 ? content : Mutator.mutated(content, random), seed + "/" + i, random);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a100-event-sync", "triton-example", "old-spelling", "cpu-only-training", "compare-base"})
    void onMutatedRealTraces(String name) throws IOException {
        byte[] content;
        try (InputStream in = new GZIPInputStream(Files.newInputStream(SharedTraces.kineto(name)))) {
            content = in.readAllBytes();
        }
        Random random = new Random(name.hashCode());
        for (int i = 0; i < Seeds.of(100); i++) {
            compare(Mutator.mutated(content, random), name + "/" + i, random);
        }
    }

    /** Each makes more than 30,000 events, of the same kinds. */
    static LongStream loops() {
        return LongStream.rangeClosed(1, Seeds.areAll() ? 8 : 2);
    }

    /** Events that the scanner may take for ones it knows: members are alike, but not their order, number or meaning. */
    @ParameterizedTest
    @MethodSource("loops")
    void onLoopsOfSimilarEvents(long seed) throws IOException {
        Random random = new Random(seed);
        String[] members = {
            "\"ph\":\"X\"",
            "\"cat\":\"kernel\"",
            "\"name\":\"a\"",
            "\"name\":\"b\\u0041\"",
            "\"pid\":0",
            "\"tid\":7",
            "\"ts\":#",
            "\"ts\":#.5",
            "\"dur\":#",
            "\"id\":#",
            "\"other\":#",
            "\"args\":null",
            "\"args\":{}",
            "\"args\":{\"used\":#,\"free\":2}",
            "\"args\":{\"used\":\"2\",\"free\":\"x\"}",
            "\"args\":{\"used\":3,\"correlation\":#}",
            "\"args\":{\"used\":3, \"stream\":7}",
            "\"args\":{\"correlation\":#,\"Ev Idx\":#,\"dtype\":\"ä\"}"
        };
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            List<String> some = new ArrayList<>(List.of(members));
            Collections.shuffle(some, random);
            String event =
                    String.join(random.nextBoolean() ? "," : ",\n ", some.subList(0, random.nextInt(some.size())));
            events.add("{" + event + "}");
            events.add("{" + event.replace("\"X\"", "\"C\"") + "}");
            events.add("{" + event.replace("\"X\"", "\"C\",\"cat\":\"kernel\"") + "}");
        }
        StringBuilder document = new StringBuilder("[");
        for (int i = 0; i < 30_000; i++) {
            String event = events.get(random.nextInt(8) > 0 ? i % events.size() : random.nextInt(events.size()));
            document.append(i == 0 ? "" : ",\n").append(event.replace("#", Integer.toString(random.nextInt(1 << 20))));
            if (random.nextInt(3) == 0) { // So many names that the first ones are forgotten.
                document.append(",{\"ph\":\"X\",\"name\":\"" + "n".repeat(90) + i + "\",\"ts\":" + i + ",\"dur\":1}");
            }
        }
        compare(document.append(']').toString().getBytes(StandardCharsets.UTF_8), "seed " + seed, random);
    }

    private void compare(byte[] content, String what, Random random) throws IOException {
        Path file = TraceFile.of(folder, "mutated.json", random.nextInt(4) == 0 ? TraceFile.gzip(content) : content);
        int window = 16 + random.nextInt(600);
        int segment = 50 + random.nextInt(1500);
        int threads = 1 + random.nextInt(3);
        ReaderRecord expected = ReaderRecord.of(new JacksonTraceEventReader(), file);
        ReaderRecord scanned = ReaderRecord.of(new ScanningTraceEventReader(window, segment, threads), file);
        String how = what + " window " + window + " segment " + segment + " threads " + threads;
        if (scanned.repairedText() && !expected.repairedText() && !expected.gaveUp()) {
            // Jackson takes a letter in two bytes, though it has a shorter form, for the letter. That is no UTF-8.
            byte[] repaired = new String(content, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            Path other = TraceFile.of(folder, "repaired.json", repaired);
            assertThat(withoutPlaces(scanned))
                    .as(how)
                    .isEqualTo(withoutPlaces(ReaderRecord.of(new JacksonTraceEventReader(), other)));
            return;
        }
        assertSame(scanned, expected, how);
    }

    /**
     * Where text was repaired, Jackson started over and knows no places any more; then what is said must be the same, not where. At half a
     * pair of surrogates in a member's name Jackson gives up without need; then the scanner must say what Jackson said until then.
     */
    private static void assertSame(ReaderRecord scanned, ReaderRecord expected, String what) {
        if (expected.gaveUp()) {
            List<String> said = withoutPlaces(expected);
            assertThat(withoutPlaces(scanned)).as(what).hasSizeGreaterThanOrEqualTo(said.size());
            assertThat(withoutPlaces(scanned).subList(0, said.size())).as(what).isEqualTo(said);
        } else if (expected.repairedText() || scanned.repairedText()) {
            assertThat(withoutPlaces(scanned)).as(what).isEqualTo(withoutPlaces(expected));
        } else {
            assertThat(scanned.events()).as(what).isEqualTo(expected.events());
            assertThat(scanned.rest()).as(what).isEqualTo(expected.rest());
        }
    }

    private static List<String> withoutPlaces(ReaderRecord record) {
        return record.events().stream()
                .map(event -> event.substring(event.indexOf(' ')))
                .toList();
    }
}

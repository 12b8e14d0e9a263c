package io.inferscope.shapes.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.log.ShapeBody.Call;
import io.inferscope.shapes.log.ShapeBody.Marker;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeLogReaderTest {
    private static final String MM =
            "\"operation\": \"aten.mm.default\", \"inputs\": {\"self\": {\"shape\": [2, 3], \"dtype\":"
                    + " \"torch.float16\"}, \"mat2\": {\"shape\": [3, 4], \"dtype\": \"torch.float16\"}}, \"outputs\": {\"shape\": [2, 4],"
                    + " \"dtype\": \"torch.float16\"}";

    @TempDir
    private Path folder;

    private final List<String> rows = new ArrayList<>();
    private final List<ShapeBody> bodies = new ArrayList<>();

    /** Keeps every row as text: what it says, its numbers, its outputs. */
    private final ShapeLogSink sink = new ShapeLogSink() {
        @Override
        public int body(ShapeBody body) {
            bodies.add(body);
            return bodies.size() - 1;
        }

        @Override
        public boolean row(int body, Row row) {
            rows.add(bodies.get(body) + " " + row.callId() + " " + row.forwardPass() + " " + row.operationCount() + " "
                    + row.outputElements() + " " + row.outputsText());
            return true;
        }
    };

    @Test
    void aFolderIsRefusedWithWhatToDo() {
        assertThatThrownBy(() -> ShapeLogReader.read(new TraceSource(folder), sink))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("a folder")
                .hasMessageContaining("inferscope shapes recover");
    }

    @Test
    void readsTheRowsOfTheSpecification() throws Exception {
        read("{\"call_id\": 7, \"forward_pass\": 3, " + MM + "}\n");

        assertThat(call().operation()).isEqualTo("aten.mm.default");
        assertThat(call().inputs())
                .containsExactly(tensor("self", "torch.float16", 2, 3), tensor("mat2", "torch.float16", 3, 4));
        assertThat(call().outputs()).containsExactly(tensor("", "torch.float16", 2, 4));
        assertThat(rows.get(0)).endsWith(" 7 3 -1 8 {\"shape\": [2, 4], \"dtype\": \"torch.float16\"}");
    }

    @Test
    void readsFailures() throws Exception {
        read("{\"call_id\":42,\"forward_pass\":1,\"operation\":\"aten.mm.default\",\"inputs\":{},\"outputs\":null,"
                + "\"error\":{\"error_type\":\"RuntimeError\",\"error_message\":\"CUDA error: invalid\"}}");

        assertThat(call().isError()).isTrue();
        assertThat(call().errorType()).isEqualTo("RuntimeError");
        assertThat(call().errorMessage()).isEqualTo("CUDA error: invalid");
        assertThat(call().outputs()).isEmpty();
        assertThat(rows.get(0)).endsWith(" 42 1 -1 0 null");
    }

    @Test
    void readsTheFullBaseLayoutWithItsDevicesAndKeywords() throws Exception {
        read(
                "{\"call_id\": 5, \"operation\": \"aten.add.Tensor\", \"op_count\": 2, \"inputs\": [{\"shape\": [4], \"dtype\":"
                        + " \"torch.int64\", \"device\": \"cuda:0\", \"requires_grad\": false, \"stride\": [1]}, {\"shape\": [],"
                        + " \"dtype\": \"torch.int64\"}], \"kwargs\": {\"out\": {\"shape\": [4], \"dtype\": \"torch.int64\"}},"
                        + " \"outputs\": [{\"shape\": [4], \"dtype\": \"torch.int64\"}, {\"shape\": [0, 9], \"dtype\": \"torch.bool\"}]}");

        assertThat(call().inputs())
                .containsExactly(
                        tensor("#0", "torch.int64", 4), tensor("#1", "torch.int64"), tensor("out", "torch.int64", 4));
        assertThat(call().outputs()).containsExactly(tensor("#0", "torch.int64", 4), tensor("#1", "torch.bool", 0, 9));
        assertThat(rows.get(0)).contains(" 5 -1 2 4 [");
    }

    @Test
    void readsSizesWithoutTypes() throws Exception {
        read("{\"call_id\": 1, \"operation\": \"aten.mm.default\", \"op_count\": 1, \"inputs\": [[2, 3], [3, 4]],"
                + " \"kwargs\": null, \"outputs\": [2, 4]}\n"
                + "{\"call_id\": 2, \"forward_pass\": 1, \"operation\": \"aten.cat.default\", \"outputs\": [],"
                + " \"inputs\": {\"tensors\": [[1, 2], [1, 3]], \"dim\": 1}}");

        assertThat(((Call) bodies.get(0)).inputs()).containsExactly(tensor("#0", "", 2, 3), tensor("#1", "", 3, 4));
        assertThat(((Call) bodies.get(0)).outputs()).containsExactly(tensor("", "", 2, 4));
        assertThat(((Call) bodies.get(1)).inputs())
                .containsExactly(tensor("tensors", "", 1, 2), tensor("tensors", "", 1, 3));
        assertThat(((Call) bodies.get(1)).outputs()).containsExactly(tensor("", ""));
    }

    @Test
    void anEmptyListOfOutputsIsNoTensorWhereTensorsHaveTypes() throws Exception {
        read("{\"operation\": \"aten._local_scalar_dense.default\", \"inputs\": {\"self\": {\"shape\": [], \"dtype\":"
                + " \"torch.bool\"}}, \"outputs\": []}");

        assertThat(call().inputs()).containsExactly(tensor("self", "torch.bool"));
        assertThat(call().outputs()).isEmpty();
    }

    @Test
    void sizesThatAreNoNumbersAreUnknown() throws Exception {
        read(
                "{\"operation\": \"aten.relu.default\", \"inputs\": {\"self\": {\"shape\": [\"s0\", 3, -2, 1.5, 99999999999999999999],"
                        + " \"dtype\": \"torch.half\"}}, \"outputs\": {\"shape\": [9223372036854775807, 3]}}");

        assertThat(call().inputs().get(0).dims()).containsExactly(-1L, 3L, -1L, -1L, -1L);
        assertThat(call().inputs().get(0).elements()).isZero();
        assertThat(call().outputs().get(0).elements()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void markersAreNoOperatorsAndBlankLinesAreNothing() throws Exception {
        ShapeLogStats stats = read("""
                {"call_id": 0, "forward_pass": 1, "operation": "PREFILL_START"}\r
                \r
                \s
                {"marker": "DECODE_START", "mode": "DECODE", "forward_pass": 2}
                {"marker": "GRAPH_REPLAY", "graph": 1, "forward_pass": 2}
                {"operation": "=== DECODE_END ==="}
                """);

        assertThat(bodies)
                .containsExactly(
                        new Marker("PREFILL_START", -1),
                        new Marker("DECODE_START", -1),
                        new Marker("GRAPH_REPLAY", 1),
                        new Marker("DECODE_END", -1));
        assertThat(bodies.stream().map(body -> ((Marker) body).phase())).containsExactly("prefill", "decode", null, "");
        assertThat(stats.lines()).isEqualTo(6);
        assertThat(stats.blankLines()).isEqualTo(2);
        assertThat(stats.isWhole()).isTrue();
    }

    @Test
    void malformedLinesAreCountedAndLocated() throws Exception {
        String good = "{\"call_id\": 1, " + MM + "}";
        String log = good + "\nnot json\n" + good + " x\n[1]\n{\"call_id\": 2}\n{\"call_id\": 3, \"opera\n" + good;
        ShapeLogStats stats = read(log);

        assertThat(rows).hasSize(2);
        assertThat(stats.malformedLines()).isEqualTo(5);
        assertThat(stats.malformed()).extracting(ShapeLogStats.Place::line).containsExactly(2L, 3L, 4L, 5L, 6L);
        assertThat(stats.malformed().get(0).offsetBytes()).isEqualTo(good.length() + 1);
        assertThat(stats.malformed())
                .extracting(ShapeLogStats.Place::problem)
                .element(2)
                .isEqualTo("not a JSON object");
        assertThat(stats.malformed().get(3).problem()).isEqualTo("no member \"operation\"");
        assertThat(stats.malformed().get(4).text())
                .isEqualTo("line 6 (byte " + log.indexOf("{\"call_id\": 3") + "): cut short");
    }

    @Test
    void aFileOfAnotherKindIsRefusedAndAnEmptyOneIsNot() throws Exception {
        assertThatThrownBy(() -> read("hello\nworld\n"))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("no row of a shape log in it; line 1 (byte 0)");
        assertThatThrownBy(() -> ShapeLogReader.read(new TraceSource(folder.resolve("none.jsonl")), sink))
                .hasMessageContaining("no such file");
        assertThat(read("").lines()).isZero();
    }

    @Test
    void aLineThatIsTooLongIsOneMalformedLine() throws Exception {
        String good = "{\"call_id\": 1, " + MM + "}\n";
        ShapeLogStats stats = read(good + "{\"x\": \"" + "y".repeat(LogLines.MAX_LINE_BYTES + 70_000) + "\"}\n" + good);

        assertThat(rows).hasSize(2);
        assertThat(stats.malformed()).singleElement().satisfies(place -> {
            assertThat(place.line()).isEqualTo(2);
            assertThat(place.offsetBytes()).isEqualTo(good.length());
            assertThat(place.problem()).isEqualTo("longer than 16 MiB");
        });
    }

    @Test
    void whatIsReadQuicklyIsWhatIsParsed() throws Exception {
        String tail =
                "\"inputs\": {\"self\": {\"shape\": [5], \"dtype\": \"torch.half\"}}, \"outputs\": {\"shape\": [5]}}\n";
        String log = "{\"call_id\": 1, \"forward_pass\": 1, \"operation\": \"a.b.c\", \"op_count\": 1, " + tail
                + "{\"call_id\": 2, \"forward_pass\": 2, \"operation\": \"a.b.c\", \"op_count\": 2, " + tail
                + "{ \"op_count\" : 3 , \"call_id\" : 3, \"operation\" : \"a.b.c\", " + tail
                + "{\"forward_pass\": 4, \"operation\": \"a.b.d\", " + tail
                + tail.replace("\"inputs\"", "{\"operation\": \"a.b.c\", \"call_id\": 5, \"inputs\"")
                        .replace("}}\n", "}, \"forward_pass\": 9}\n")
                + tail.replace("\"inputs\"", "{\"operation\": \"a.b.c\", \"call_id\": 6, \"inputs\"")
                        .replace("}}\n", "}, \"forward_pass\": 8}\n");
        read(log);
        List<String> quick = List.copyOf(rows);
        rows.clear();
        for (String line : log.split("\n", -1)) {
            read(line + "\n");
        }

        assertThat(quick).isEqualTo(rows);
        assertThat(quick.get(1)).contains(" 2 2 2 5 {\"shape\": [5]}");
        assertThat(quick.get(4)).contains(" 5 9 -1 ");
        assertThat(quick.get(5)).contains(" 6 8 -1 ");
    }

    @Test
    void repeatedRowsAreParsedOnce() throws Exception {
        StringBuilder log = new StringBuilder();
        for (int i = 0; i < 5_000; i++) {
            log.append("{\"call_id\": ")
                    .append(i)
                    .append(", \"forward_pass\": ")
                    .append(i / 10)
                    .append(", ");
            log.append(MM.replace("aten.mm", i % 2 == 0 ? "aten.mm" : "aten.bmm"))
                    .append("}\n");
        }
        read(log.toString());

        assertThat(rows).hasSize(5_000);
        assertThat(bodies).hasSize(2);
        assertThat(rows.get(4_999)).contains("aten.bmm").contains(" 4999 499 ");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void linesOfAnyLengthAreWhole(int seed) throws IOException {
        Random random = new Random(seed);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<String> lines = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String line = "x".repeat(random.nextInt(i % 10 == 0 ? 600_000 : 300));
            offsets.add((long) bytes.size());
            lines.add(line);
            bytes.writeBytes((line + (i < 59 || line.isEmpty() ? "\n" : "")).getBytes(StandardCharsets.US_ASCII));
        }
        LogLines reader = new LogLines(new java.io.ByteArrayInputStream(bytes.toByteArray()));
        for (int i = 0; i < lines.size(); i++) {
            assertThat(reader.next()).isTrue();
            assertThat(reader.to() - reader.from()).isEqualTo(lines.get(i).length());
            assertThat(reader.offsetBytes()).isEqualTo(offsets.get(i));
            assertThat(reader.number()).isEqualTo(i + 1);
        }
        assertThat(reader.next()).isFalse();
        assertThat(reader.bytesRead()).isEqualTo(bytes.size());
    }

    @Test
    void readsGzipAndWhatComesBeforeItsDamage() throws Exception {
        StringBuilder log = new StringBuilder();
        Random random = new Random(3);
        for (int i = 0; i < 3_000; i++) {
            log.append("{\"call_id\": ")
                    .append(random.nextInt(1 << 30))
                    .append(", ")
                    .append(MM)
                    .append("}\n");
        }
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
            out.write(log.toString().getBytes(StandardCharsets.UTF_8));
        }
        byte[] whole = zipped.toByteArray();
        Path file = Files.write(folder.resolve("a.jsonl.gz"), whole);
        assertThat(ShapeLogReader.read(new TraceSource(file), sink).isWhole()).isTrue();
        assertThat(rows).hasSize(3_000);

        rows.clear();
        Files.write(file, Arrays.copyOf(whole, whole.length / 2));
        ShapeLogStats stats = ShapeLogReader.read(new TraceSource(file), sink);
        assertThat(stats.damage()).isEqualTo("cut short");
        assertThat(rows.size()).isBetween(1_000, 2_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void noDamageStopsIt(long seed) throws Exception {
        Random random = new Random(seed);
        String good = "{\"call_id\": 1, \"forward_pass\": 1, " + MM + "}\n";
        byte[] bytes = good.repeat(50).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 60; i++) {
            bytes[good.length() + random.nextInt(bytes.length - good.length())] = (byte) random.nextInt(256);
        }
        Path file = Files.write(folder.resolve("damaged.jsonl"), bytes);
        ShapeLogStats stats = ShapeLogReader.read(new TraceSource(file), sink);

        assertThat(stats.bytes()).isEqualTo(bytes.length);
        assertThat(rows.size() + stats.malformedLines() + stats.blankLines()).isEqualTo(stats.lines());
    }

    private Call call() {
        return (Call) bodies.get(bodies.size() - 1);
    }

    private static ShapeTensor tensor(String name, String dtype, long... dims) {
        return new ShapeTensor(name, dtype, Arrays.stream(dims).boxed().toList());
    }

    private ShapeLogStats read(String text) throws IOException, ImportException {
        Path file = Files.writeString(folder.resolve("log.jsonl"), text);
        return ShapeLogReader.read(new TraceSource(file), sink);
    }
}

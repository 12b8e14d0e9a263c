package io.inferscope.shapes;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.log.ShapeBody.Call;
import io.inferscope.shapes.log.ShapeLogReader;
import io.inferscope.shapes.log.ShapeSummary;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Random calls, and the log that says them. */
final class ShapeLogFixture {
    private static final List<String> OPERATORS = List.of(
            "aten.mm.default", "aten.add.Tensor", "aten.view.default", "aten.cat.default", "vllm.secret.default");
    private static final List<String> TYPES = List.of("torch.float16", "torch.float32", "torch.int64", "torch.odd");
    private static final List<String> MARKERS = List.of("PREFILL_START", "DECODE_START", "DECODE_END");

    /** A row of a log: a call, or a marker of which {@code phase} is what follows it. */
    record Said(long callId, long pass, String phase, Call call, String marker) {}

    private ShapeLogFixture() {}

    static List<Said> random(long seed, int count) {
        Random random = new Random(seed);
        List<Said> rows = new ArrayList<>();
        String phase = "";
        for (int i = 1; i <= count; i++) {
            if (random.nextInt(20) == 0) {
                String marker = MARKERS.get(random.nextInt(3));
                phase = marker.equals("PREFILL_START") ? "prefill" : marker.equals("DECODE_START") ? "decode" : "";
                rows.add(new Said(i, i / 30, phase, call(random), marker));
            }
            rows.add(new Said(i, i / 30, phase, call(random), ""));
        }
        return rows;
    }

    private static Call call(Random random) {
        String operator = OPERATORS.get(random.nextInt(OPERATORS.size()));
        boolean fails = random.nextInt(15) == 0;
        List<ShapeTensor> inputs = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            inputs.add(tensor(operator.equals("aten.cat.default") ? "tensors" : "in" + i, random));
        }
        List<ShapeTensor> outputs = fails ? List.of() : List.of(tensor("", random));
        return new Call(operator, inputs, outputs, fails ? "RuntimeError" : "", fails ? "no \"luck\"" : "");
    }

    private static ShapeTensor tensor(String name, Random random) {
        List<Long> dims = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            dims.add((long) random.nextInt(4) * random.nextInt(100));
        }
        return new ShapeTensor(name, TYPES.get(random.nextInt(TYPES.size())), dims);
    }

    static String line(Said said) {
        String head = "{\"call_id\": " + said.callId() + ", \"forward_pass\": " + said.pass() + ", \"operation\": \"";
        if (!said.marker().isEmpty()) {
            return "\n" + head + said.marker() + "\"}\n";
        }
        Call call = said.call();
        String error = call.isError()
                ? ", \"error\": {\"error_type\": \"RuntimeError\", \"error_message\": \"no \\\"luck\\\"\"}"
                : "";
        String output =
                call.outputs().isEmpty() ? "null" : tensor(call.outputs().get(0));
        return head + call.operation() + "\", \"inputs\": {" + inputs(call) + "}, \"outputs\": " + output + error
                + "}\n";
    }

    private static String inputs(Call call) {
        if (call.operation().equals("aten.cat.default")) {
            return "\"tensors\": "
                    + call.inputs().stream().map(ShapeLogFixture::tensor).collect(Collectors.joining(", ", "[", "]"));
        }
        return call.inputs().stream()
                .map(tensor -> "\"" + tensor.name() + "\": " + tensor(tensor))
                .collect(Collectors.joining(", "));
    }

    private static String tensor(ShapeTensor tensor) {
        return "{\"shape\": " + tensor.dims() + ", \"dtype\": \"" + tensor.dtype() + "\"}";
    }

    static Path write(Path file, List<Said> rows) throws IOException {
        return Files.writeString(file, rows.stream().map(ShapeLogFixture::line).collect(Collectors.joining()));
    }

    static ShapeCollection collect(ShapeCollection all, Path... files) throws ImportException {
        for (Path file : files) {
            TraceSource source = new TraceSource(file);
            all.close(ShapeLogReader.read(source, all.open(source.name(), null)), ShapeSummary.beside(file));
        }
        return all;
    }

    static ShapeCollection collect(Path... files) throws ImportException {
        return collect(new ShapeCollection(ShapeFilter.ALL, false, Long.MAX_VALUE), files);
    }
}

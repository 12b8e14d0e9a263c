package io.inferscope.collectors.trace;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A folder with models, and batches over them with the planted tracers: real processes of a real interpreter, without PyTorch. */
final class TraceFixture {
    static final long LONG_NS = 300_000_000_000L;

    final Path folder;
    final Path output;
    final Path python;
    long timeoutNs = LONG_NS;
    long memoryLimitBytes;
    BatchOptions how = new BatchOptions(2, 1, false, 0, true);
    Map<String, Map<String, String>> environment = Map.of();
    final List<String> started = Collections.synchronizedList(new ArrayList<>());

    /** Makes an interpreter that has PyTorch as far as its metadata say. */
    TraceFixture(Path folder) throws IOException {
        this.folder = folder;
        output = folder.resolve("out");
        Path site = folder.resolve("site");
        install(site, "torch", "2.13.0");
        install(site, "transformers", "5.17.0");
        python = folder.resolve("python");
        String real = System.getenv().getOrDefault("INFERSCOPE_TEST_PYTHON", "python3");
        Files.writeString(
                python,
                "#!/bin/sh\nPYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" + site + "':\"$PYTHONPATH\" exec " + real
                        + " \"$@\"\n");
        Files.setPosixFilePermissions(python, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    static void install(Path site, String name, String version) throws IOException {
        Path info = Files.createDirectories(site.resolve(name + "-" + version + ".dist-info"));
        Files.writeString(
                info.resolve("METADATA"), "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n");
    }

    /** Writes a model with one tensor of four floats. */
    ModelRef model(String name) throws IOException {
        Path model = Files.createDirectories(folder.resolve("models").resolve(name));
        Files.writeString(model.resolve("config.json"), "{\"model_type\": \"llama\", \"vocab_size\": 8}");
        Files.writeString(model.resolve("tokenizer.json"), "{}");
        Files.write(model.resolve("model.safetensors"), safetensors());
        return ModelRef.of(model.toString());
    }

    static byte[] safetensors() throws IOException {
        byte[] header =
                "{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}".getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length)
                .array());
        out.write(header);
        out.write(new byte[16]);
        return out.toByteArray();
    }

    Installation installation() throws TraceException {
        return Installation.of(home(), python, tracers());
    }

    /** The repository: the nearest folder above that holds python/. */
    static Path home() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(at.resolve("python/inferscope/trace"))) {
            at = at.getParent();
        }
        return at;
    }

    private static Path tracers() {
        return home().resolve("inferscope-collectors/src/test/resources/tracers");
    }

    TraceOptions options() {
        return new TraceOptions(
                home(),
                python,
                output,
                "huggingface",
                "cpu",
                "auto",
                1,
                tracers(),
                false,
                timeoutNs,
                LONG_NS,
                memoryLimitBytes,
                environment);
    }

    List<Pair> pairs(ModelRef model, String... tracers) throws TraceException {
        Installation installation = installation();
        List<Pair> pairs = new ArrayList<>();
        for (String tracer : tracers) {
            pairs.add(new Pair(
                    model,
                    "eval",
                    java.util.Objects.requireNonNull(installation.tracers().get(tracer))));
        }
        return pairs;
    }

    Batch batch() throws TraceException {
        return new Batch(options(), how, installation(), (traces, folder, title) -> {}, new BatchListener() {
            @Override
            public void started(Pair pair) {
                started.add(pair.tracer().name());
            }

            @Override
            public void finished(PairResult result, int done, int total) {}

            @Override
            public void downloading(ModelRef model) {}
        });
    }

    /** Runs a batch and returns its results by tracer. */
    Map<String, PairResult> run(ModelRef model, String... tracers) throws Exception {
        try (Batch batch = batch()) {
            Map<String, PairResult> results = new LinkedHashMap<>();
            batch.run(pairs(model, tracers))
                    .forEach(result -> results.put(result.pair().tracer().name(), result));
            return results;
        }
    }

    Path result(ModelRef model, String tracer) {
        return output.resolve(model.folder()).resolve("eval").resolve(tracer);
    }
}

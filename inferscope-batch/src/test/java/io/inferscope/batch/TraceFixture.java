package io.inferscope.batch;

import io.inferscope.timeline.fixture.TracedModel;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
    ProfileReporter reporter = (traces, folder, title) -> {};
    private @Nullable Installation installed;
    final List<String> started = Collections.synchronizedList(new ArrayList<>());

    TraceFixture(Path folder) throws IOException {
        this.folder = folder;
        output = folder.resolve("out");
        python = TracedModel.interpreter(folder);
    }

    /** Makes another version of a package the installed one. */
    void install(String name, String version) throws IOException {
        Path site = folder.resolve("site");
        try (DirectoryStream<Path> old = Files.newDirectoryStream(site, name + "-*.dist-info")) {
            for (Path info : old) {
                ResultFolders.delete(info);
            }
        }
        TracedModel.install(site, name, version);
        installed = null;
    }

    /** Writes a model. */
    ModelRef model(String name) throws IOException {
        return ModelRef.of(
                TracedModel.write(folder.resolve("models").resolve(name)).toString());
    }

    /** Returns what is installed; asked once as long as {@link #install} changes nothing. */
    Installation installation() throws TraceException {
        if (installed == null) {
            installed = Installation.of(home(), python, tracers());
        }
        return installed;
    }

    /** Says what is installed, where another fixture of the same folder has asked already. */
    void use(Installation known) {
        installed = known;
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
        return home().resolve("inferscope-batch/src/test/resources/tracers");
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
        return new Batch(options(), how, installation(), reporter, new BatchListener() {
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

    /** Returns how often the tracer {@code counting} has run. */
    int runs() throws IOException {
        return Files.readAllLines(folder.resolve("models/runs.txt")).size();
    }

    /** Returns folders of runs that did not come to their end. */
    List<Path> leftovers() throws IOException {
        try (Stream<Path> all = Files.walk(output)) {
            return all.filter(path -> path.toString().endsWith(".unfinished")
                            || path.toString().endsWith(".old"))
                    .toList();
        }
    }
}

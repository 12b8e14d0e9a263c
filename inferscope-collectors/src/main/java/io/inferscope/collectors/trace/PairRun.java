package io.inferscope.collectors.trace;

import io.inferscope.collectors.os.SpawnException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One pair from its start to its status. The tracer writes into a folder beside the one that its results will have; that takes the old
 * one's place only when everything in it is written, the status last.
 */
final class PairRun {
    private static final String UNFINISHED = ".unfinished";
    private static final String OLD = ".old";
    private static final double NS_PER_S = 1e9;

    private final TraceOptions options;
    private final Installation installation;
    private final Worker worker;
    private final ProfileReporter reporter;
    private final Pair pair;
    private final Path folder;
    private final Path unfinished;
    private final Path work;
    private final Path result;

    PairRun(TraceOptions options, Installation installation, Worker worker, ProfileReporter reporter, Pair pair) {
        this.options = options;
        this.installation = installation;
        this.worker = worker;
        this.reporter = reporter;
        this.pair = pair;
        folder = pair.folder(options.output());
        unfinished = pair.beside(options.output(), UNFINISHED);
        work = unfinished.resolve(".work");
        result = unfinished.resolve(".result.json");
    }

    /**
     * Runs the tracer on a local model; returns null when the batch was stopped meanwhile.
     *
     * @throws IOException when results cannot be written
     */
    @Nullable
    Status trace(Path model) throws IOException {
        long startNs = System.nanoTime();
        prepare();
        Worker.Ended ended;
        try {
            ended = worker.run(new Worker.Task(
                    words(model),
                    List.of(
                            "common",
                            "offline",
                            options.framework(),
                            "tracer." + pair.tracer().name()),
                    folder.toString(),
                    options.timeoutNs(),
                    unfinished.resolve("stdout.txt"),
                    unfinished.resolve("stderr.txt"),
                    work,
                    true));
        } catch (SpawnException e) {
            throw new IOException(options.python() + " cannot be started: " + e.getMessage(), e);
        }
        if (ended.reason() == Watch.Reason.STOPPED) {
            Folders.delete(unfinished);
            return null;
        }
        return settle(startNs, ended, Verdict.of(ended, readResult(), options));
    }

    /** Writes the status of a pair that cannot be traced. */
    Status refuse(ExitClass exitClass, String reason) throws IOException {
        prepare();
        StatusWriter writer = new StatusWriter(options, installation, pair, attempts());
        writer.verdict(new Verdict(exitClass, reason), null, Map.of());
        return publish(writer.status());
    }

    private Status settle(long startNs, Worker.Ended ended, Verdict verdict) throws IOException {
        Map<String, @Nullable Object> answer = readResult();
        long reportNs = System.nanoTime();
        Verdict last = verdict.exitClass() == ExitClass.OK ? inspect() : verdict;
        reportNs = System.nanoTime() - reportNs;
        Files.deleteIfExists(result);
        Folders.delete(work);
        StatusWriter writer = new StatusWriter(options, installation, pair, attempts());
        writer.verdict(last, ended, answer);
        writer.files(unfinished);
        writer.duration("report", reportNs / NS_PER_S);
        writer.duration("total", (System.nanoTime() - startNs) / NS_PER_S);
        return publish(writer.status());
    }

    /** Checks what the tracer promised, and explains what it profiled: the report is promised, too. */
    private Verdict inspect() throws IOException {
        TracerInfo tracer = pair.tracer();
        String broken = Promises.broken(unfinished, tracer.outputs());
        if (broken.isEmpty() && tracer.profile() != null) {
            try {
                reporter.report(Promises.matches(unfinished, tracer.profile()), unfinished, pair.toString());
            } catch (IOException e) {
                broken = "no report on the profile: " + e.getMessage();
            }
        }
        return broken.isEmpty() ? new Verdict(ExitClass.OK, "") : new Verdict(ExitClass.INCOMPLETE, broken);
    }

    /** Returns whether a run of the pair that was killed has left something beside its folder. */
    static boolean hasLeftovers(Pair pair, Path output) {
        return Files.exists(pair.beside(output, UNFINISHED)) || Files.exists(pair.beside(output, OLD));
    }

    /** Deletes what a run that was killed has left; for the holder of the pair's lock. */
    void clean() throws IOException {
        Folders.delete(unfinished);
        Folders.delete(pair.beside(options.output(), OLD));
    }

    private void prepare() throws IOException {
        Folders.checkOurs(folder);
        Optional<String> other = Status.in(folder)
                .map(status -> status.text("model_id"))
                .filter(id -> !id.equals(pair.model().id()));
        if (other.isPresent()) {
            throw new FileSystemException(
                    folder.toString(), null, "it holds the results of " + other.get() + "; name another --output-dir");
        }
        clean();
        Files.createDirectories(work);
    }

    private Map<String, @Nullable Object> readResult() {
        try {
            return Files.isRegularFile(result) ? JsonTree.read(result) : Map.of();
        } catch (IOException damaged) {
            return Map.of();
        }
    }

    /** How often the pair was tried in a row without success, this time included. */
    private int attempts() {
        return 1
                + Status.in(folder)
                        .filter(old -> !old.success())
                        .map(Status::attempts)
                        .orElse(0);
    }

    private Status publish(Status status) throws IOException {
        Folders.delete(work);
        status.write(unfinished);
        Folders.replace(folder, unfinished, pair.beside(options.output(), OLD));
        return status;
    }

    private List<String> words(Path model) {
        List<String> words = new ArrayList<>(List.of("worker", "--framework", options.framework()));
        words.addAll(List.of(
                "--model-path", model.toString(), "--tracer", pair.tracer().name()));
        words.addAll(List.of("--mode", pair.mode(), "--device", options.device(), "--dtype", options.dtype()));
        words.addAll(List.of("--tensor-parallel-size", Integer.toString(options.tensorParallelSize())));
        words.addAll(List.of("--output-dir", unfinished.toString(), "--result", result.toString()));
        if (options.tracerPath() != null) {
            words.addAll(List.of("--tracer-path", options.tracerPath().toString()));
        }
        if (options.trustRemoteCode()) {
            words.add("--trust-remote-code");
        }
        return words;
    }
}

package io.inferscope.batch;

import io.inferscope.collectors.os.SpawnException;
import io.inferscope.timeline.files.FileProblem;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One run of a tracer on a model, from the start of its process to its written status. */
final class PairRun {
    private static final double NS_PER_S = 1e9;

    private final TraceOptions options;
    private final Installation installation;
    private final Worker worker;
    private final ProfileReporter reporter;
    private final Pair pair;
    private final PairFolder folder;

    PairRun(TraceOptions options, Installation installation, Worker worker, ProfileReporter reporter, Pair pair) {
        this.options = options;
        this.installation = installation;
        this.worker = worker;
        this.reporter = reporter;
        this.pair = pair;
        folder = new PairFolder(pair, options.output());
    }

    /**
     * Runs the tracer on a local model; returns null when the batch was stopped during the run.
     *
     * @throws IOException when results cannot be written; incomplete results are deleted then
     */
    @Nullable
    Status trace(Path model) throws IOException {
        long startNs = System.nanoTime();
        folder.prepare();
        Worker.Ended ended = run(model);
        if (ended.reason() == WorkerSupervisor.Reason.STOPPED) {
            folder.clean();
            return null;
        }
        Map<String, @Nullable Object> answer = folder.answer();
        RunOutcome verdict = RunOutcome.of(ended, answer, options);
        try {
            return settle(startNs, ended, verdict, answer);
        } catch (IOException e) {
            return salvage(startNs, ended, e);
        }
    }

    private Worker.Ended run(Path model) throws IOException {
        List<String> layers = List.of(
                "common",
                "offline",
                options.framework(),
                "tracer." + pair.tracer().name());
        try {
            return worker.run(new Worker.Task(
                    words(model),
                    layers,
                    folder.folder().toString(),
                    options.timeoutNs(),
                    folder.output(),
                    folder.error(),
                    folder.work(),
                    true));
        } catch (SpawnException e) {
            folder.clean();
            throw new IOException(options.python() + " cannot be started: " + e.getMessage(), e);
        }
    }

    /** Writes the status of a pair that cannot be traced. */
    Status refuse(ExitClass exitClass, String reason) throws IOException {
        folder.prepare();
        StatusWriter writer = new StatusWriter(options, installation, pair, folder.attempts());
        writer.verdict(new RunOutcome(exitClass, reason), null, Map.of());
        return publish(writer);
    }

    private Status settle(long startNs, Worker.Ended ended, RunOutcome verdict, Map<String, @Nullable Object> answer)
            throws IOException {
        folder.tidy();
        if (verdict.exitClass() == ExitClass.CANNOT_WRITE) {
            folder.discardResults();
        }
        long reportNs = System.nanoTime();
        RunOutcome last = verdict.exitClass() == ExitClass.OK ? inspect() : verdict;
        reportNs = System.nanoTime() - reportNs;
        StatusWriter writer = new StatusWriter(options, installation, pair, folder.attempts());
        writer.verdict(last, ended, answer);
        writer.files(folder.unfinished());
        writer.duration("report", reportNs / NS_PER_S);
        writer.duration("total", (System.nanoTime() - startNs) / NS_PER_S);
        return publish(writer);
    }

    /**
     * Handles results that cannot be written: deletes them and writes the status alone, which may fit on a full disk.
     * If that fails as well, the whole folder of the run is deleted.
     */
    private Status salvage(long startNs, Worker.Ended ended, IOException problem) throws IOException {
        try {
            folder.discardResults();
            StatusWriter writer = new StatusWriter(options, installation, pair, folder.attempts());
            writer.verdict(new RunOutcome(ExitClass.CANNOT_WRITE, FileProblem.describe(problem)), ended, Map.of());
            writer.files(folder.unfinished());
            writer.duration("total", (System.nanoTime() - startNs) / NS_PER_S);
            return publish(writer);
        } catch (IOException again) {
            again.addSuppressed(problem);
            folder.clean();
            throw again;
        }
    }

    /**
     * Checks that the tracer's declared outputs are there, and writes the report on what it profiled. The run fails
     * without the report, too.
     */
    private RunOutcome inspect() throws IOException {
        TracerInfo tracer = pair.tracer();
        Path written = folder.unfinished();
        String broken = DeclaredOutputs.broken(written, tracer.outputs());
        if (broken.isEmpty() && tracer.profile() != null) {
            try {
                reporter.report(DeclaredOutputs.matches(written, tracer.profile()), written, pair.toString());
            } catch (FileSystemException e) { // Nothing is wrong with the trace.
                throw e;
            } catch (IOException e) {
                broken = "no report on the profile: " + FileProblem.describe(e);
            }
        }
        return broken.isEmpty() ? new RunOutcome(ExitClass.OK, "") : new RunOutcome(ExitClass.INCOMPLETE, broken);
    }

    private Status publish(StatusWriter writer) throws IOException {
        Status status = writer.status();
        folder.publish(status);
        return status;
    }

    private List<String> words(Path model) {
        List<String> words = new ArrayList<>(List.of("worker", "--framework", options.framework()));
        words.addAll(List.of(
                "--model-path", model.toString(), "--tracer", pair.tracer().name()));
        words.addAll(List.of("--mode", pair.mode(), "--device", options.device(), "--dtype", options.dtype()));
        words.addAll(List.of("--tensor-parallel-size", Integer.toString(options.tensorParallelSize())));
        words.addAll(List.of(
                "--output-dir",
                folder.unfinished().toString(),
                "--result",
                folder.answerFile().toString()));
        if (options.tracerPath() != null) {
            words.addAll(List.of("--tracer-path", options.tracerPath().toString()));
        }
        if (options.trustRemoteCode()) {
            words.add("--trust-remote-code");
        }
        return words;
    }
}

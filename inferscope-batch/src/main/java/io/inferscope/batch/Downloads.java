package io.inferscope.batch;

import io.inferscope.collectors.os.SpawnException;
import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.files.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Downloads models, several at once and each model once. A model given as a local path is used as it is; the worker
 * checks its files.
 */
final class Downloads implements AutoCloseable {
    private static final String ERROR = "stderr.txt";

    private final TraceOptions options;
    private final Worker worker;
    private final BatchListener listener;
    private final ExecutorService threads;
    private final Map<String, CompletableFuture<Path>> models = new HashMap<>();

    Downloads(TraceOptions options, Worker worker, int threads, BatchListener listener) {
        this.options = options;
        this.worker = worker;
        this.listener = listener;
        this.threads = Executors.newFixedThreadPool(threads, WorkerThreads.named("inferscope-download"));
    }

    /** Why a model cannot be downloaded. */
    static final class Failed extends IOException {
        private static final long serialVersionUID = 1L;
        private final transient RunOutcome verdict;

        Failed(RunOutcome verdict) {
            super(verdict.reason());
            this.verdict = verdict;
        }

        RunOutcome verdict() {
            return verdict;
        }
    }

    /** Starts the download of a model unless it was started before. */
    synchronized void begin(ModelRef model) {
        Path local = model.local();
        if (local != null) {
            models.putIfAbsent(model.id(), CompletableFuture.completedFuture(local));
        } else {
            models.computeIfAbsent(model.id(), id -> CompletableFuture.supplyAsync(() -> fetch(model), threads));
        }
    }

    /** Returns whether {@link #path} answers without waiting. */
    synchronized boolean isSettled(ModelRef model) {
        CompletableFuture<Path> future = models.get(model.id());
        return future != null && future.isDone();
    }

    /**
     * Returns the folder of a model that {@link #begin} was called with; waits for the download, and throws with the
     * reason if it failed.
     */
    Path path(ModelRef model) throws Failed {
        CompletableFuture<Path> future;
        synchronized (this) {
            future = models.get(model.id());
        }
        try {
            return java.util.Objects.requireNonNull(future).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Failed failed) {
                throw new Failed(failed.verdict());
            }
            throw e;
        }
    }

    private Path fetch(ModelRef model) {
        Path folder = options.output().resolve(".downloads").resolve(model.folder());
        try {
            synchronized (listener) {
                listener.downloading(model);
            }
            Files.createDirectories(folder);
            Path result = folder.resolve("result.json");
            Files.deleteIfExists(result);
            Worker.Ended ended = worker.run(new Worker.Task(
                    List.of("fetch", "--model", model.id(), "--result", result.toString()),
                    List.of("common", "download"),
                    folder.toString(),
                    options.downloadTimeoutNs(),
                    folder.resolve("stdout.txt"),
                    folder.resolve(ERROR),
                    folder,
                    false));
            Map<String, ?> answer = Files.isRegularFile(result) ? JsonValues.read(result) : Map.of();
            RunOutcome verdict = verdict(ended, answer, options, folder);
            if (verdict.exitClass() != ExitClass.OK) {
                throw new Failed(verdict);
            }
            Path path = Path.of(JsonValues.text(answer, "path"));
            ResultFolders.delete(folder);
            return path;
        } catch (SpawnException e) {
            throw new CompletionException(
                    new Failed(new RunOutcome(ExitClass.MODEL_ERROR, String.valueOf(e.getMessage()))));
        } catch (Failed e) {
            throw new CompletionException(e);
        } catch (IOException e) {
            throw new CompletionException(new Failed(new RunOutcome(ExitClass.CANNOT_WRITE, FileProblem.describe(e))));
        }
    }

    static RunOutcome verdict(Worker.Ended ended, Map<String, ?> answer, TraceOptions options, Path folder) {
        return ended.reason() == WorkerSupervisor.Reason.TIMEOUT
                ? RunOutcome.timeout(
                        options.downloadTimeoutNs(), folder.resolve(ERROR).toString(), "--download-timeout")
                : RunOutcome.of(ended, answer, options);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

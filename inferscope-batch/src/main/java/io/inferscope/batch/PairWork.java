package io.inferscope.batch;

import io.inferscope.batch.PairResult.Action;
import io.inferscope.timeline.FileProblem;
import io.inferscope.timeline.ProcessLock;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs a pair that has no result yet, holding its lock, and repeats failed runs as often as the options ask for. */
final class PairWork {
    private final TraceOptions options;
    private final BatchOptions how;
    private final Installation installation;
    private final ProfileReporter reporter;
    private final BatchListener listener;
    private final ReusableResults reuse;
    private final WorkerSupervisor watch;
    private final Worker worker;
    private final Downloads downloads;

    PairWork(
            TraceOptions options,
            BatchOptions how,
            Installation installation,
            ProfileReporter reporter,
            BatchListener listener,
            ReusableResults reuse,
            WorkerSupervisor watch) {
        this.options = options;
        this.how = how;
        this.installation = installation;
        this.reporter = reporter;
        this.listener = listener;
        this.reuse = reuse;
        this.watch = watch;
        worker = new Worker(options, watch);
        downloads = new Downloads(options, worker, how.downloads(), listener);
    }

    Downloads downloads() {
        return downloads;
    }

    /** Returns the pair's result; empty when another batch works on it. */
    Optional<PairResult> tryDo(Pair pair) {
        try (ProcessLock lock =
                ProcessLock.tryTake(pair.lockFile(options.output())).orElse(null)) {
            return lock == null ? Optional.empty() : Optional.of(locked(pair));
        } catch (IOException e) {
            return Optional.of(failed(pair, ExitClass.CANNOT_WRITE, FileProblem.describe(e)));
        } catch (RuntimeException | Error e) { // The other pairs go on.
            return Optional.of(failed(pair, ExitClass.INCOMPLETE, e.toString()));
        }
    }

    private static PairResult failed(Pair pair, ExitClass exitClass, String reason) {
        return new PairResult(pair, Action.RAN, Optional.empty(), exitClass, reason);
    }

    private PairResult locked(Pair pair) throws IOException {
        PairRun run = new PairRun(options, installation, worker, reporter, pair);
        Optional<Status> made = reuse.now(pair);
        if (made.isPresent()) {
            new PairFolder(pair, options.output()).clean();
            return PairResult.of(pair, Action.BYPASSED, made.get());
        }
        synchronized (listener) {
            listener.started(pair);
        }
        String problem = installation.problem(options.framework());
        if (!problem.isEmpty()) {
            return PairResult.of(pair, Action.RAN, run.refuse(ExitClass.UNSUPPORTED, problem));
        }
        for (int left = how.retries(); ; left--) {
            Status status = once(run, pair);
            if (status == null) {
                return PairResult.interrupted(pair);
            }
            PairResult result = PairResult.of(pair, Action.RAN, status);
            if (left <= 0 || result.isFine() || result.exitClass() == ExitClass.UNSUPPORTED || watch.isStopped()) {
                return result;
            }
        }
    }

    private @Nullable Status once(PairRun run, Pair pair) throws IOException {
        try {
            return run.trace(downloads.path(pair.model()));
        } catch (Downloads.Failed e) {
            return watch.isStopped()
                    ? null
                    : run.refuse(e.verdict().exitClass(), e.verdict().reason());
        }
    }
}

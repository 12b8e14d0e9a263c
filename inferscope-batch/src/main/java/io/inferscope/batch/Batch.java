package io.inferscope.batch;

import io.inferscope.batch.PairResult.Action;
import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.files.ProcessLock;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs all pairs of models, modes and tracers. Pairs whose tracers share an exclusive group form a chain, which one
 * thread works through. A chain that must wait for a download, or for another batch that works on its pair, goes to the
 * end of the queue.
 */
public final class Batch implements AutoCloseable {
    private static final long WAIT_MS = 100;

    private final TraceOptions options;
    private final BatchOptions how;
    private final Installation installation;
    private final ProfileReporter reporter;
    private final BatchListener listener;
    private final WorkerSupervisor watch = new WorkerSupervisor();
    private final ReusableResults reuse;
    private final Worker worker;
    private final Downloads downloads;
    private final Deque<PairSequence> queue = new ArrayDeque<>();
    private final Map<Pair, PairResult> results = new LinkedHashMap<>();
    private int total;
    private int done;
    private int running;

    /** Prepares a batch; nothing is started. */
    public Batch(
            TraceOptions options,
            BatchOptions how,
            Installation installation,
            ProfileReporter reporter,
            BatchListener listener) {
        this.options = options;
        this.how = how;
        this.installation = installation;
        this.reporter = reporter;
        this.listener = listener;
        reuse = new ReusableResults(options, installation, how.force());
        worker = new Worker(options, watch);
        downloads = new Downloads(options, worker, how.downloads(), listener);
    }

    /**
     * Runs the pairs and returns the result of each, in the same order. When the batch is stopped, the result of pairs
     * not yet run is {@code INTERRUPTED}.
     */
    public List<PairResult> run(List<Pair> pairs) throws InterruptedException {
        total = pairs.size();
        pairs.forEach(pair -> results.put(pair, PairResult.interrupted(pair)));
        queue.addAll(PairSequence.of(pairs));
        queue.removeIf(this::bypass);
        queue.forEach(chain -> downloads.begin(chain.pairs().getFirst().model()));
        int jobs = Math.max(1, Math.min(how.jobs(), queue.size()));
        ExecutorService threads = Executors.newFixedThreadPool(jobs, WorkerThreads.named("inferscope-trace"));
        for (int i = 0; i < jobs; i++) {
            threads.execute(this::work);
        }
        threads.shutdown();
        threads.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        return List.copyOf(results.values());
    }

    /** Ends all tracers and lets {@link #run} return. */
    public void stop() {
        watch.stop();
    }

    @Override
    public void close() {
        stop();
        downloads.close();
        watch.close();
    }

    /** Removes the pairs of a chain that need no run; returns whether none is left. */
    private boolean bypass(PairSequence chain) {
        for (Pair pair : List.copyOf(chain.pairs())) {
            Optional<Status> status = reuse.atStart(pair);
            if (status.isPresent()) {
                chain.pairs().remove(pair);
                finish(PairResult.of(pair, Action.BYPASSED, status.get()));
                if (chain.exclusive()) {
                    skipRest(chain, pair);
                }
            }
        }
        return chain.pairs().isEmpty();
    }

    private void skipRest(PairSequence chain, Pair done) {
        String reason = done.tracer().name() + " of its group " + done.tracer().exclusiveGroup() + " has succeeded";
        while (!chain.pairs().isEmpty()) {
            Pair pair = chain.pairs().removeFirst();
            finish(new PairResult(pair, Action.SKIPPED, Optional.empty(), ExitClass.OK, reason));
        }
    }

    private void work() {
        try {
            for (PairSequence chain = take(); chain != null; chain = take()) {
                boolean waits = false;
                try {
                    waits = !step(chain);
                } finally {
                    // However this thread ends, the chain must no longer count as running: the others wait for that.
                    giveBack(chain);
                }
                if (waits) {
                    Thread.sleep(WAIT_MS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void giveBack(PairSequence chain) {
        running--;
        if (!chain.pairs().isEmpty() && !watch.isStopped()) {
            queue.add(chain);
        }
        notifyAll();
    }

    private synchronized @Nullable PairSequence take() throws InterruptedException {
        while (!watch.isStopped()) {
            for (PairSequence chain : queue) {
                if (downloads.isSettled(chain.pairs().getFirst().model())) {
                    queue.remove(chain);
                    running++;
                    return chain;
                }
            }
            if (queue.isEmpty() && running == 0) {
                return null;
            }
            wait(WAIT_MS);
        }
        return null;
    }

    /** Runs the first pair of a chain; returns false when another batch is working on this pair. */
    private boolean step(PairSequence chain) {
        Pair pair = chain.pairs().getFirst();
        Optional<PairResult> result = tryTrace(pair);
        if (result.isEmpty()) {
            return false;
        }
        if (result.get().action() == Action.INTERRUPTED) {
            return true;
        }
        chain.pairs().removeFirst();
        finish(result.get());
        if (chain.exclusive() && result.get().isFine()) {
            skipRest(chain, pair);
        }
        if (!how.continueOnFailure() && !result.get().isFine()) {
            stop();
        }
        return true;
    }

    /** Traces a pair that has no result yet, holding its lock; empty when another batch works on it. */
    private Optional<PairResult> tryTrace(Pair pair) {
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

    /** Repeats failed runs as often as the options ask for. */
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

    private void finish(PairResult result) {
        synchronized (listener) {
            results.put(result.pair(), result);
            listener.finished(result, ++done, total);
        }
    }

    /**
     * Pairs of one model and mode that one thread runs one after the other.
     *
     * @param pairs the pairs that are not yet done
     * @param exclusive whether the other pairs are skipped after one success
     */
    private record PairSequence(Deque<Pair> pairs, boolean exclusive) {
        /**
         * Returns the chains of all pairs: pairs of a model and mode whose tracers share an exclusive group form one
         * chain, any other pair a chain of its own.
         */
        static Collection<PairSequence> of(List<Pair> pairs) {
            Map<List<String>, PairSequence> chains = new LinkedHashMap<>();
            for (Pair pair : pairs) {
                String group = pair.tracer().exclusiveGroup();
                String name = group == null ? "tracer " + pair.tracer().name() : "group " + group;
                chains.computeIfAbsent(
                                List.of(pair.model().id(), pair.mode(), name),
                                key -> new PairSequence(new ArrayDeque<>(), group != null))
                        .pairs()
                        .add(pair);
            }
            return chains.values();
        }
    }
}

package io.inferscope.collectors.trace;

import io.inferscope.collectors.trace.PairResult.Action;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All pairs of models, modes and tracers. Pairs whose tracers share an exclusive group form a chain, which one thread goes through; a
 * chain that must wait, for a download or for another batch that has the pair, goes to the end of the queue.
 */
public final class Batch implements AutoCloseable {
    private static final long WAIT_MS = 100;

    private final TraceOptions options;
    private final BatchOptions how;
    private final Installation installation;
    private final ProfileReporter reporter;
    private final BatchListener listener;
    private final Watch watch = new Watch();
    private final Worker worker;
    private final Downloads downloads;
    private final Deque<Chain> queue = new ArrayDeque<>();
    private final Map<Pair, PairResult> results = new LinkedHashMap<>();
    private int total;
    private int done;
    private int running;
    private volatile boolean stopped;

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
        worker = new Worker(options, watch);
        downloads = new Downloads(options, worker, how.downloads(), listener);
    }

    /** Goes through the pairs; returns the result of each, in their order. Those of a stopped batch that were not reached are missing. */
    public List<PairResult> run(List<Pair> pairs) throws InterruptedException {
        total = pairs.size();
        pairs.forEach(pair -> results.put(pair, interrupted(pair)));
        queue.addAll(Chain.of(pairs));
        Map<String, String> states = new HashMap<>();
        queue.removeIf(chain -> bypass(chain, states));
        queue.forEach(chain -> downloads.begin(chain.pairs().getFirst().model()));
        int jobs = Math.max(1, Math.min(how.jobs(), queue.size()));
        ExecutorService threads = Executors.newFixedThreadPool(jobs, Workers.named("inferscope-trace"));
        for (int i = 0; i < jobs; i++) {
            threads.execute(this::work);
        }
        threads.shutdown();
        threads.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        return List.copyOf(results.values());
    }

    /** Ends all tracers and lets {@link #run} return. */
    public void stop() {
        stopped = true;
        watch.stop();
    }

    @Override
    public void close() {
        stop();
        downloads.close();
        watch.close();
    }

    /** Takes from a chain what needs no run; returns whether nothing is left of it. */
    private boolean bypass(Chain chain, Map<String, String> states) {
        for (Pair pair : List.copyOf(chain.pairs())) {
            String state =
                    states.computeIfAbsent(pair.model().id(), id -> pair.model().state());
            Optional<Status> status = reusable(pair, state);
            if (status.isPresent() && !PairRun.hasLeftovers(pair, options.output())) {
                chain.pairs().remove(pair);
                finish(PairResult.of(pair, Action.BYPASSED, status.get()));
                if (chain.exclusive()) {
                    skipRest(chain, pair);
                }
            }
        }
        return chain.pairs().isEmpty();
    }

    private Optional<Status> reusable(Pair pair, String modelState) {
        if (how.force()) {
            return Optional.empty();
        }
        Map<String, @Nullable Object> identity = Status.identity(pair, options, installation);
        Path folder = pair.folder(options.output());
        return Status.in(folder).filter(status -> status.isReusable(identity, modelState, folder));
    }

    private void skipRest(Chain chain, Pair done) {
        String reason = done.tracer().name() + " of its group " + done.tracer().exclusiveGroup() + " has succeeded";
        while (!chain.pairs().isEmpty()) {
            Pair pair = chain.pairs().removeFirst();
            finish(new PairResult(pair, Action.SKIPPED, Optional.empty(), ExitClass.OK, reason));
        }
    }

    private void work() {
        try {
            for (Chain chain = take(); chain != null; chain = take()) {
                boolean waits = !step(chain);
                synchronized (this) {
                    running--;
                    if (!chain.pairs().isEmpty() && !stopped) {
                        queue.add(chain);
                    }
                    notifyAll();
                    if (waits) {
                        wait(WAIT_MS);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable Chain take() throws InterruptedException {
        while (!stopped) {
            for (Chain chain : queue) {
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

    /** Does the first pair of a chain; returns false when another batch has it. */
    private boolean step(Chain chain) {
        Pair pair = chain.pairs().getFirst();
        PairResult result;
        try (PairLock lock = PairLock.tryTake(pair.lockFile(options.output())).orElse(null)) {
            if (lock == null) {
                return false;
            }
            result = locked(pair);
        } catch (IOException e) {
            result = new PairResult(pair, Action.RAN, Optional.empty(), ExitClass.CANNOT_WRITE, "cannot write: " + e);
        } catch (RuntimeException | OutOfMemoryError e) { // The other pairs go on.
            result = new PairResult(pair, Action.RAN, Optional.empty(), ExitClass.INCOMPLETE, e.toString());
        }
        if (result.action() == Action.INTERRUPTED) {
            return true;
        }
        chain.pairs().removeFirst();
        finish(result);
        if (chain.exclusive() && result.isFine()) {
            skipRest(chain, pair);
        }
        if (!how.continueOnFailure() && !result.isFine()) {
            stop();
        }
        return true;
    }

    private PairResult locked(Pair pair) throws IOException {
        PairRun run = new PairRun(options, installation, worker, reporter, pair);
        // By another batch, meanwhile, or by one that was killed when it was done.
        Optional<Status> made = reusable(pair, pair.model().state());
        if (made.isPresent()) {
            run.clean();
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
                return interrupted(pair);
            }
            PairResult result = PairResult.of(pair, Action.RAN, status);
            if (left <= 0 || result.isFine() || result.exitClass() == ExitClass.UNSUPPORTED || stopped) {
                return result;
            }
        }
    }

    private @Nullable Status once(PairRun run, Pair pair) throws IOException {
        try {
            return run.trace(downloads.path(pair.model()));
        } catch (Downloads.Failed e) {
            return stopped
                    ? null
                    : run.refuse(e.verdict().exitClass(), e.verdict().reason());
        }
    }

    private static PairResult interrupted(Pair pair) {
        return new PairResult(pair, Action.INTERRUPTED, Optional.empty(), ExitClass.MODEL_ERROR, "interrupted");
    }

    private void finish(PairResult result) {
        synchronized (listener) {
            results.put(result.pair(), result);
            listener.finished(result, ++done, total);
        }
    }
}

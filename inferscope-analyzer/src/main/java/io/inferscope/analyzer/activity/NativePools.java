package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Pool threads of native libraries, such as OpenMP's and Rayon's: the threads of a process that run native code only.
 * No record shows that a thread inside an operator waits for them, but it has nothing else to wait for there:
 *
 * <pre>
 *   judged thread   [ linear RRRRRR bbbbbbbbbbbbbbbbbb ]   blocked on a futex inside the operator
 *   pool            .       RRRRRR qqqq RRRRRR qqqqqqqq     on a CPU, and ready without one
 *   blame                          qqqqq RRRRR qqqqqqq      of the time blocked, in proportion
 * </pre>
 *
 * At most the time in which the pool was on a CPU or ready for one explains a wait.
 */
final class NativePools implements WaitRoute {
    private final Threads threads;
    private final ActivityClassifier classifier;
    private final Map<Integer, List<ThreadActivity>> byProcess = new HashMap<>();

    NativePools(Threads threads, ActivityClassifier classifier) {
        this.threads = threads;
        this.classifier = classifier;
    }

    @Override
    public boolean follow(ThreadPiece waiting, WaitFollower.Walk walk, ThreadActivity.Sink to) {
        LedgerClass compute = classifier.awaitedCompute(waiting.stateRow(), waiting.row(), waiting.sample());
        long onCpuNs = 0;
        long queuedNs = 0;
        for (ThreadActivity member : compute == null ? List.<ThreadActivity>of() : of(waiting.thread())) {
            onCpuNs += member.onCpuNs(waiting.fromNs(), waiting.toNs());
            queuedNs += member.runnableNs(waiting.fromNs(), waiting.toNs());
        }
        if (compute == null || onCpuNs + queuedNs == 0 || mayWaitForOthers(compute, waiting)) {
            return false;
        }
        long knownNs = Math.min(waiting.ns(), onCpuNs + queuedNs);
        long computesNs = ThreadStates.shareOfFirst(knownNs, onCpuNs, onCpuNs + queuedNs);
        WaitFollower.Walk.Shares shares = walk.shares(waiting, to);
        shares.give(computesNs, compute, ThreadState.RUNNING);
        shares.give(knownNs - computesNs, LedgerClass.WAIT_RUN_QUEUE, ThreadState.RUNNABLE);
        shares.give(waiting.ns() - knownNs, waiting.ledgerClass(), waiting.state());
        return true;
    }

    /**
     * A native call may as well take from a queue that another thread of the program fills, and an import may wait for
     * another thread's; no operator of a model does.
     */
    private boolean mayWaitForOthers(LedgerClass compute, ThreadPiece waiting) {
        int process = threads.process(waiting.thread());
        return (compute == LedgerClass.CPU_NATIVE || compute == LedgerClass.FRAMEWORK_COMPILE_LOAD)
                && threads.all().stream()
                        .filter(track -> track.parent() == process && track.id() != waiting.thread())
                        .map(track -> threads.activity(track.id()))
                        .anyMatch(other -> !other.isStateOnly() && other.onCpuNs(waiting.fromNs(), waiting.toNs()) > 0);
    }

    private List<ThreadActivity> of(int thread) {
        return byProcess.computeIfAbsent(
                threads.process(thread),
                process -> threads.all().stream()
                        .filter(track -> track.parent() == process)
                        .map(track -> threads.activity(track.id()))
                        .filter(ThreadActivity::isStateOnly)
                        .toList());
    }
}

package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How busy a library's thread pool is while the judged thread is in the model, in a program whose model computes on the
 * CPU.
 *
 * <pre>
 *   judged thread  [ tokenize ][ forward ............... ]
 *   pool                        CCCC    CCCC    CCCC        C: on a CPU, or runnable without one
 * </pre>
 *
 * The pool's threads are the process' threads without recorded stacks. Their counters tell how long of some 10 ms a
 * thread was ready (on a CPU, or runnable without one), not when. All of that time is counted as inside the model, so
 * this is an upper bound of how busy the pool was.
 *
 * @param cpus how many CPUs the process could use
 * @param threads how many threads computed: the judged one, and pool threads that were ready for at least a hundredth
 *     of the model's time
 * @param modelNs how long the judged thread was in the model
 * @param readyNs upper bound of their total ready time during the model
 */
public record ThreadScaling(double cpus, int threads, long modelNs, long readyNs) {
    /** Returns the scaling in the window; empty where CPUs or states were not recorded, or no pool was at work. */
    public static Optional<ThreadScaling> of(Analysis analysis) {
        int subject = analysis.subjectThread();
        if (subject < 0
                || !analysis.threadStatesRecorded()
                || !analysis.devices().isEmpty()) {
            return Optional.empty();
        }
        Timeline timeline = analysis.timeline();
        int process = timeline.tracks().get(subject).parent();
        OptionalDouble cpus = Cpus.of(timeline, process);
        if (cpus.isEmpty()) {
            return Optional.empty();
        }
        List<Track> pool = analysis.threads().all().stream()
                .filter(thread -> thread.parent() == process && thread.id() != subject)
                .filter(thread -> analysis.threads().activity(thread.id()).recordedNs() == 0)
                .toList();
        if (pool.isEmpty()) {
            return Optional.empty();
        }
        Model model = new Model(analysis);
        long readyNs = model.readyNs;
        int threads = 1;
        for (Track thread : pool) {
            long poolNs = Math.min(model.ns, readyNs(timeline, thread.id(), model.time));
            threads += poolNs > 0 && 100 * poolNs >= model.ns ? 1 : 0;
            readyNs += poolNs;
        }
        return threads == 1
                ? Optional.empty()
                : Optional.of(new ThreadScaling(cpus.getAsDouble(), threads, model.ns, readyNs));
    }

    /**
     * When the judged thread was in the model, or may have been: how long that was, and how much of it ready for a CPU.
     */
    private static final class Model {
        private final ActivityClassifier classifier;
        private final Intervals time;
        private long ns;
        private long readyNs;

        Model(Analysis analysis) {
            classifier = analysis.classifier();
            Intervals.Builder builder = new Intervals.Builder(64);
            analysis.threads()
                    .activity(analysis.subjectThread())
                    .cover(analysis.window().startNs(), analysis.window().endNs(), piece -> {
                        if (isInModel(piece)) {
                            builder.add(piece.fromNs(), piece.toNs());
                            ns += piece.ns();
                            readyNs += isReady(piece.state()) ? piece.ns() : 0;
                        }
                    });
            time = builder.build();
        }

        /**
         * Where no row shows the model, samples do: one stands for the running time near it, and blocked time has its
         * own.
         */
        private boolean isInModel(ThreadPiece piece) {
            if (piece.ledgerClass() == LedgerClass.CPU_MODEL_COMPUTE) {
                return true;
            }
            if (piece.row() >= 0) {
                return classifier.classify(piece.row()) == LedgerClass.CPU_MODEL_COMPUTE;
            }
            LedgerClass sampled = piece.state() == ThreadState.RUNNABLE
                    ? classifier.classifyRunning(piece.row(), piece.sample())
                    : classifier.awaitedCompute(piece.stateRow(), piece.row(), piece.sample());
            return sampled == LedgerClass.CPU_MODEL_COMPUTE;
        }
    }

    private static boolean isReady(ThreadState state) {
        return state == ThreadState.RUNNING || state == ThreadState.RUNNABLE;
    }

    private static long readyNs(Timeline timeline, int thread, Intervals during) {
        return timeline.rows(thread, RowKind.THREAD_STATE)
                .mapToLong(row -> Math.min(
                        during.totalWithinNs(timeline.startNs(row), timeline.endNs(row)),
                        Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS))
                                + Math.max(0, timeline.attribute(row, Attribute.RUNNABLE_NS))))
                .sum();
    }

    /** Returns the average number of CPUs that the threads would have kept busy if a CPU had always been free. */
    public double busyCpus() {
        return modelNs == 0 ? 0 : (double) readyNs / modelNs;
    }

    /** Returns how many of the threads could have been on a CPU at once. */
    public double width() {
        return Math.min(threads, cpus);
    }

    /** Returns the ratio of the two, 0 to 1. */
    public double busyRatio() {
        return Math.min(1, busyCpus() / width());
    }
}

package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.MemoryKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Idle time of the judged device because the host waited until its queue was empty, and only then dispatched and
 * launched.
 *
 * <pre>
 *   host    [ wait 1          ]dispatch[launch][w2]dispatch[launch]
 *   device  ###################                ##                 ####
 *                           |--- first gap ----|  |-- second gap -|
 * </pre>
 *
 * Without the wait, the host would have been ahead by as long as it waited: so much of the idle time after it, up to
 * the end of the step, is due to the wait, whichever launch ends the gap. The gap in which a wait returns counts in any
 * case; a wait belongs to the step in which it returns. Only the last wait of a step may be one that it needs; the host's own work before that one, such as Python,
 * would have been done under the device's work, too. Launches of graphs have a cause of their own.
 */
public final class EmptiedQueue {
    /** What is due to one wait, in ns. */
    public static final class Drain {
        private final int call;
        private long ns;

        Drain(int call) {
            this.call = call;
        }

        /** Returns the call that waited. */
        public int call() {
            return call;
        }

        /** Returns the idle time that follows it, in ns. */
        public long ns() {
            return ns;
        }
    }

    private final Analysis analysis;
    private final Timeline timeline;
    private final Map<LedgerClass, Long> times = new EnumMap<>(LedgerClass.class);
    private final Map<LedgerClass, Long> needless = new EnumMap<>(LedgerClass.class);
    private final Map<Integer, Drain> drains = new LinkedHashMap<>();
    private final BitSet waitingCopies = new BitSet();

    private EmptiedQueue(Analysis analysis) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        analysis.headline().ifPresent(this::addWaitingCopies);
        analysis.headline().ifPresent(device -> analysis.blameOf(device).explain(new Walk(device)));
    }

    /** Goes through the gaps in the order of time. */
    private final class Walk implements IdleBlame.Pieces {
        private final DeviceActivity device;
        private final Intervals judged = analysis.idle();
        private final int[] waits;
        private final Intervals waiting;

        /** The first wait that begins after the current gap does. */
        private int next;

        /** The wait that emptied the queue, the last one, and how far ahead the host would still be without the first. */
        private int emptied = -1;

        private int last = -1;
        private long aheadNs;

        /** The end of the step at hand, and the start of its last wait. */
        private long stepEndNs = Long.MIN_VALUE;

        private long lastWaitNs;

        /** Whether the gap at hand would not be there without a wait that the step does not need. */
        private boolean isNeedless;

        private Drain due = new Drain(-1);

        Walk(DeviceActivity device) {
            this.device = device;
            waits = Arrays.stream(analysis.apiCalls())
                    .filter(call -> timeline.track(call) == analysis.subjectThread())
                    .filter(call -> isWait(call))
                    .toArray();
            waiting = timeline.times(Arrays.stream(waits));
        }

        @Override
        public boolean wants(long startNs, long endNs) {
            if (!contains(judged, startNs)) {
                return false;
            }
            while (next < waits.length && timeline.startNs(waits[next]) <= startNs) {
                enter(waits[next++]);
            }
            boolean isFirst = contains(waiting, startNs) && !contains(waiting, endNs);
            boolean isDue = startNs < stepEndNs && aheadNs >= endNs - startNs;
            isNeedless = isDue && endNs <= lastWaitNs;
            aheadNs = Math.max(0, aheadNs - (endNs - startNs));
            if (isFirst || isDue) {
                due = drains.computeIfAbsent(isDue ? emptied : last, Drain::new);
            }
            return isFirst || isDue;
        }

        private void enter(int wait) {
            long endNs = timeline.endNs(wait);
            if (endNs >= stepEndNs) {
                aheadNs = 0;
                enterStep(endNs);
            }
            last = wait;
            long waitedNs = device.busy().totalWithinNs(timeline.startNs(wait), endNs);
            if (waitedNs > aheadNs) {
                aheadNs = waitedNs;
                emptied = wait;
            }
        }

        private void enterStep(long atNs) {
            List<Step> steps = analysis.steps();
            int at = BinarySearch.first(0, steps.size(), i -> steps.get(i).endNs() > atNs);
            boolean inside = at < steps.size() && steps.get(at).startNs() <= atNs;
            stepEndNs = inside ? steps.get(at).endNs() : Long.MIN_VALUE;
            int after = BinarySearch.first(0, waits.length, i -> timeline.endNs(waits[i]) >= stepEndNs);
            lastWaitNs = inside ? timeline.startNs(waits[after - 1]) : Long.MIN_VALUE;
        }

        @Override
        public void take(int row, int sample, LedgerClass cause, long ns) {
            if (row >= 0 && timeline.kind(row) == RowKind.GRAPH_LAUNCH) {
                return; // A cause of its own, most of it the tracer's.
            }
            times.merge(cause, ns, Long::sum);
            if (isNeedless && cause.isHostWork()) {
                needless.merge(cause, ns, Long::sum);
            }
            due.ns += isNeedless || cause.isLaunching() || cause == LedgerClass.FRAMEWORK_SYNC_RETURN ? ns : 0;
        }
    }

    /**
     * Adds the calls that return only after the copy that they launch, as those of pageable memory do, and so waited for
     * the work before it. A call of pinned memory that does lost its CPU.
     */
    private void addWaitingCopies(DeviceActivity device) {
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            int call = device.launch(i);
            if (timeline.kind(row).isMemcpy()
                    && device.isLaunchedAlone(i)
                    && timeline.endNs(row) <= timeline.endNs(call)
                    && mayBePageable(row)
                    && contains(device.busy(), timeline.startNs(call))) {
                waitingCopies.set(call);
            }
        }
    }

    private boolean mayBePageable(int copy) {
        return timeline.attributeText(copy, Attribute.MEMORY_KINDS).isEmpty()
                || MemoryKind.PAGEABLE.isOf(timeline, copy);
    }

    /** Returns whether a call waits for the judged device: a synchronising one, or a copy that returns after its end. */
    public boolean isWait(int call) {
        return analysis.isSynchronising(call) || waitingCopies.get(call);
    }

    /** Which gaps count, by their interval. */
    interface Gaps {
        boolean contain(long startNs, long endNs);
    }

    /** Returns the idle time of the judged device and part by cause, in the gaps that count. */
    static Map<LedgerClass, Long> idle(Analysis analysis, Gaps wanted) {
        Map<LedgerClass, Long> times = new EnumMap<>(LedgerClass.class);
        Intervals judged = analysis.idle();
        analysis.headline()
                .ifPresent(device -> analysis.blameOf(device).explain(new IdleBlame.Pieces() {
                    @Override
                    public boolean wants(long startNs, long endNs) {
                        return contains(judged, startNs) && wanted.contain(startNs, endNs);
                    }

                    @Override
                    public void take(int row, int sample, LedgerClass cause, long ns) {
                        times.merge(cause, ns, Long::sum);
                    }
                }));
        return times;
    }

    static boolean contains(Intervals times, long atNs) {
        return times.totalWithinNs(atNs, atNs + 1) > 0;
    }

    /** Returns that idle time of the judged part. It is computed once. */
    public static EmptiedQueue of(Analysis analysis) {
        return analysis.once(EmptiedQueue.class, EmptiedQueue::new);
    }

    /** Returns the time of these gaps in some classes, in ns. */
    public long ns(Collection<LedgerClass> classes) {
        return classes.stream().mapToLong(one -> times.getOrDefault(one, 0L)).sum();
    }

    /** Returns the time in some classes of host work because of waits that no step needs, in ns. */
    public long needlessNs(Collection<LedgerClass> classes) {
        return classes.stream().mapToLong(one -> needless.getOrDefault(one, 0L)).sum();
    }

    /** Returns all of that time, in ns. */
    public long needlessNs() {
        return needlessNs(needless.keySet());
    }

    /** Returns the waits that emptied the queue, in the order of time. */
    public Collection<Drain> drains() {
        return drains.values();
    }
}

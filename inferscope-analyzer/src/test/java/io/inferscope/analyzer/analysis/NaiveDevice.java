package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LaunchCalls;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The time of one device, busy and idle, from the definitions. */
final class NaiveDevice {
    private static final long LONGEST_LATENCY_NS = 50_000;

    /** Where the product's opinion is asked: never about time. */
    record Opinion(
            Told told,
            Blocked blocked,
            Blocked awaited,
            IntPredicate placed,
            IntPredicate coarse,
            IntPredicate communication,
            IntPredicate sawWaiting) {}

    /** The class of time of an innermost row and a sample, -1 for none, of a thread that may wait or is known to run. */
    interface Told {
        LedgerClass of(int row, int sample, boolean running);
    }

    /** The class of time in which a state says that a thread was blocked, or of what a pool does that it waits for; null for none. */
    interface Blocked {
        @Nullable
        LedgerClass of(int state, int row, int sample);
    }

    private final Timeline timeline;
    private final Stretch window;
    private final Opinion opinion;
    private final ElementaryIntervals intervals;
    private final int[] launchOf;
    private final int[] operations;
    private final long firstNs;
    private final long lastNs;
    private final long latencyNs;
    private final Map<Integer, NaiveThread> threads;

    /** By the call that stages it: the class of a copy. Empty until it is asked for. */
    private final Map<Integer, LedgerClass> copies = new TreeMap<>();

    private final Map<String, NaiveAccount> phases = new LinkedHashMap<>();
    private final Map<String, Long> blame = new TreeMap<>();

    NaiveDevice(
            Timeline timeline,
            int track,
            Stretch window,
            Opinion opinion,
            int[] launchOf,
            Map<Integer, NaiveThread> threads,
            ElementaryIntervals intervals) {
        this.timeline = timeline;
        this.window = window;
        this.opinion = opinion;
        this.launchOf = launchOf;
        this.threads = threads;
        this.intervals = intervals;
        this.operations = operations(track);
        this.firstNs =
                IntStream.of(operations).mapToLong(timeline::startNs).min().orElseThrow();
        this.lastNs = IntStream.of(operations).mapToLong(timeline::endNs).max().orElseThrow();
        this.latencyNs = IntStream.of(operations)
                .filter(o -> launchOf[o] >= 0 && !isReplayed(o))
                .mapToLong(o -> timeline.startNs(o) - timeline.startNs(launchOf[o]))
                .filter(latency -> latency >= 0)
                .map(latency -> Math.min(latency, LONGEST_LATENCY_NS))
                .min()
                .orElse(0);
        for (String phase : List.of("head", "span", "tail")) {
            phases.put(phase, new NaiveAccount());
        }
    }

    /** Looks at all of its time. */
    NaiveDevice account() {
        gaps().forEach(this::blame);
        intervals.visit(
                operations,
                firstNs,
                lastNs,
                (startNs, endNs, covering) -> IntStream.of(covering)
                        .mapToObj(this::busyClass)
                        .min(Comparator.comparing(PRECEDENCE::indexOf))
                        .ifPresent(c -> account("span").addMeasured(c, endNs - startNs)));
        return this;
    }

    /** Returns the idle time of one gap by class; of a device that was not asked to look at all of its time. */
    Map<LedgerClass, Long> causes(Stretch gap) {
        phases.replaceAll((phase, account) -> new NaiveAccount());
        blame(gap);
        Map<LedgerClass, Long> causes = new EnumMap<>(LedgerClass.class);
        phases.values()
                .forEach(
                        account -> account.times().forEach((cause, time) -> causes.merge(cause, time.ns(), Long::sum)));
        return causes;
    }

    /** Operations in the order (start, end, row). */
    private int[] operations(int track) {
        return IntStream.range(0, timeline.rowCount())
                .filter(r -> timeline.kind(r).isDeviceOperation())
                .filter(r -> timeline.tracks().get(timeline.track(r)).parent() == track)
                .boxed()
                .sorted(Comparator.<Integer>comparingLong(timeline::startNs)
                        .thenComparingLong(timeline::endNs)
                        .thenComparingInt(r -> r))
                .mapToInt(r -> r)
                .toArray();
    }

    private static final List<LedgerClass> PRECEDENCE = List.of(
            LedgerClass.GPU_COMPUTE,
            LedgerClass.GPU_COMMUNICATION,
            LedgerClass.COPY_H2D,
            LedgerClass.COPY_D2H,
            LedgerClass.COPY_OTHER);

    private LedgerClass busyClass(int operation) {
        RowKind kind = timeline.kind(operation);
        if (kind == RowKind.KERNEL) {
            return opinion.communication.test(operation) ? LedgerClass.GPU_COMMUNICATION : LedgerClass.GPU_COMPUTE;
        }
        return kind == RowKind.MEMCPY_H2D
                ? LedgerClass.COPY_H2D
                : kind == RowKind.MEMCPY_D2H ? LedgerClass.COPY_D2H : LedgerClass.COPY_OTHER;
    }

    private boolean isReplayed(int operation) {
        return timeline.kind(launchOf[operation]) == RowKind.GRAPH_LAUNCH;
    }

    /** The longest stretches of the window without an operation, cut where the span begins and ends. */
    private List<Stretch> gaps() {
        List<Stretch> gaps = new ArrayList<>();
        intervals.visit(operations, window.startNs(), window.endNs(), (startNs, endNs, covering) -> {
            if (covering.length == 0) {
                int last = gaps.size() - 1;
                boolean goesOn = last >= 0 && gaps.get(last).endNs() == startNs;
                gaps.add(new Stretch(goesOn ? gaps.remove(last).startNs() : startNs, endNs));
            }
        });
        return gaps.stream()
                .flatMap(g -> cut(g, firstNs).stream())
                .flatMap(g -> cut(g, lastNs).stream())
                .toList();
    }

    private static List<Stretch> cut(Stretch gap, long atNs) {
        return gap.startNs() < atNs && atNs < gap.endNs()
                ? List.of(new Stretch(gap.startNs(), atNs), new Stretch(atNs, gap.endNs()))
                : List.of(gap);
    }

    private void blame(Stretch gap) {
        if (gap.startNs() >= lastNs) {
            blameTail(gap);
            return;
        }
        String phase = gap.endNs() <= firstNs ? "head" : "span";
        int operation = endingOperation(gap.endNs());
        int launch = launchOf[operation];
        if (launch < 0) {
            put(phase, -1, LedgerClass.UNATTRIBUTED, gap.durationNs());
            return;
        }
        int[] missing = missingBefore(operation, launch);
        long fromNs = missing.length == 0 ? gap.endNs() : Math.max(gap.startNs(), timeline.startNs(missing[0]));
        long lengthNs = (long) Math.ceil(mostOf(missing));
        long toNs = Math.min(gap.endNs(), fromNs + lengthNs);
        if (lengthNs == 0 || fromNs >= gap.endNs()) {
            blame(phase, operation, gap.startNs(), gap.endNs());
            return;
        }
        blame(phase, operation, gap.startNs(), fromNs);
        put(phase, timeline.track(launch), LedgerClass.UNATTRIBUTED, toNs - fromNs);
        blame(phase, operation, toNs, gap.endNs());
    }

    /** The launches of a thread without an operation, between that of an operation and its last one before for the same stream. */
    private int[] missingBefore(int operation, int launch) {
        int track = timeline.track(operation);
        int firstRow = timeline.firstRow(timeline.track(launch));
        int before = IntStream.range(timeline.firstRow(track), timeline.endRow(track))
                .map(row -> launchOf[row])
                .filter(other -> other >= firstRow && other < launch)
                .max()
                .orElse(firstRow - 1);
        return IntStream.range(before + 1, launch)
                .filter(this::isMissing)
                .filter(row -> LaunchCalls.operation(timeline.name(row)) != RowKind.MEMSET)
                .toArray();
    }

    private boolean isMissing(int row) {
        return timeline.kind(row).isApiCall()
                && ApiCalls.isLaunch(timeline.name(row))
                && !isAnswered(row)
                && (timeline.parent(row) < 0
                        || !timeline.kind(timeline.parent(row)).isApiCall())
                && !(isAnswered(row + 1)
                        && timeline.track(row + 1) == timeline.track(row)
                        && timeline.startNs(row + 1) < timeline.endNs(row));
    }

    private boolean isAnswered(int call) {
        return IntStream.of(launchOf).anyMatch(launch -> launch == call);
    }

    /** The upper bound of the time that missing operations took: OperationLengths says how, this from its definitions. */
    private double mostOf(int[] calls) {
        double mean = 0;
        double variance = 0;
        double alike = 0;
        for (int call : calls) {
            double[] like = lengths(call, true);
            like = like.length == 0 ? lengths(call, false) : like;
            double[] all = lengths(-1, false);
            like = like.length == 0 ? all : like;
            double own = variance(like) + (variance(like) + square(mean(like))) / like.length;
            double copied = timeline.name(call).contains("Memcpy") ? timeline.durationNs(call) : 0;
            mean += Math.max(mean(like), copied);
            variance += like.length < 5 ? Math.max(own, variance(all) + square(mean(all) - mean(like))) : own;
            alike += isInRun(call) ? Math.sqrt(own) : 0;
        }
        return mean + 3 * Math.sqrt(variance) + alike;
    }

    /** Returns whether more than two launches of a thread, one after the other, have no operation, this one among them. */
    private boolean isInRun(int call) {
        return missingBeside(call, -1) + 1 + missingBeside(call, 1) > 2;
    }

    private int missingBeside(int call, int way) {
        int count = 0;
        for (int row = call + way;
                row >= 0
                        && row < timeline.rowCount()
                        && timeline.track(row) == timeline.track(call)
                        && !isAnswered(row);
                row += way) {
            count += isMissing(row) ? 1 : 0;
        }
        return count;
    }

    /** Durations of the operations of launches with the name of a call, in operators of one name; of any for -1. */
    private double[] lengths(int call, boolean inOperator) {
        return IntStream.range(0, launchOf.length)
                .filter(row -> launchOf[row] >= 0)
                .filter(row -> call < 0 || timeline.nameId(launchOf[row]) == timeline.nameId(call))
                .filter(row -> !inOperator || operatorName(launchOf[row]) == operatorName(call))
                .mapToDouble(timeline::durationNs)
                .toArray();
    }

    private static double mean(double[] of) {
        return DoubleStream.of(of).average().orElse(0);
    }

    private static double variance(double[] of) {
        double mean = mean(of);
        return DoubleStream.of(of).map(one -> square(one - mean)).average().orElse(0);
    }

    private static double square(double of) {
        return of * of;
    }

    private int operatorName(int call) {
        int operator = ApiCalls.operatorOf(timeline, call);
        return operator < 0 ? -1 : timeline.nameId(operator);
    }

    private void blame(String phase, int operation, long a, long b) {
        int launch = launchOf[operation];
        int thread = timeline.track(launch);
        long l0 = timeline.startNs(launch);
        long l1 = timeline.endNs(launch);
        host(phase, thread, a, Math.min(l0, b));
        put(phase, thread, ofLaunch(launch), Math.max(0, Math.min(l1, b) - Math.max(a, l0)));
        long deviceSideNs = Math.max(0, b - Math.max(a, l1));
        long launchLatencyNs = isReplayed(operation) && !isFirstOfItsLaunch(operation) ? 0 : latencyNs;
        put(phase, thread, LedgerClass.FRAMEWORK_LAUNCH_LATENCY, Math.min(deviceSideNs, launchLatencyNs));
        put(phase, thread, LedgerClass.GPU_DEPENDENCY, Math.max(0, deviceSideNs - launchLatencyNs));
    }

    /** A launch, or a first call that loads code, or part of the compilation around it, or of the copy between pageable memory and the device that it stages. */
    private LedgerClass ofLaunch(int launch) {
        for (int at = timeline.parent(launch); at >= 0; at = timeline.parent(at)) {
            String name = timeline.name(at);
            if (RangeActivity.of(timeline.attribute(at, Attribute.ACTIVITY)) == RangeActivity.LOAD
                    && (name.startsWith("torch.compile ") || name.startsWith("triton "))) {
                return LedgerClass.FRAMEWORK_COMPILE_LOAD;
            }
        }
        boolean loads = opinion.told().of(launch, -1, false) == LedgerClass.FRAMEWORK_COMPILE_LOAD;
        return copies().getOrDefault(launch, loads ? LedgerClass.FRAMEWORK_COMPILE_LOAD : LedgerClass.FRAMEWORK_LAUNCH);
    }

    private Map<Integer, LedgerClass> copies() {
        if (copies.isEmpty()) {
            copies.put(-1, LedgerClass.FRAMEWORK_LAUNCH);
            for (int row = 0; row < timeline.rowCount(); row++) {
                boolean toHost = timeline.kind(row) == RowKind.MEMCPY_D2H;
                if ((toHost || timeline.kind(row) == RowKind.MEMCPY_H2D)
                        && timeline.attribute(row, Attribute.SIZE_BYTES) > 65536
                        && timeline.attributeText(row, Attribute.MEMORY_KINDS).contains("Pageable")) {
                    copies.put(timeline.links().launchOf(row), toHost ? LedgerClass.COPY_D2H : LedgerClass.COPY_H2D);
                }
            }
        }
        return copies;
    }

    /**
     * Of the operations that start at the gap's end and take time (where none does, of those that take none), the one launched last;
     * one without a launch counts as launched before all others. Of launches that begin together the one that ends last, then the later row.
     */
    private int endingOperation(long endNs) {
        return IntStream.of(operations)
                .filter(o -> timeline.startNs(o) == endNs)
                .boxed()
                .max(Comparator.<Integer, Boolean>comparing(o -> timeline.durationNs(o) > 0)
                        .thenComparing(o -> launchOf[o] >= 0)
                        .thenComparing(o -> launchOf[o] < 0 ? 0 : timeline.startNs(launchOf[o]))
                        .thenComparing(o -> launchOf[o] < 0 ? 0 : timeline.endNs(launchOf[o]))
                        .thenComparing(o -> launchOf[o])
                        .thenComparing(this::place, Comparator.reverseOrder()))
                .orElseThrow();
    }

    private int place(int operation) {
        return IntStream.range(0, operations.length)
                .filter(i -> operations[i] == operation)
                .findFirst()
                .orElseThrow();
    }

    private boolean isFirstOfItsLaunch(int operation) {
        return IntStream.of(operations)
                .filter(o -> launchOf[o] == launchOf[operation])
                .noneMatch(o -> timeline.startNs(o) < timeline.startNs(operation));
    }

    /**
     * The tail is what the thread did that launched last; of launches at the same time, that of the last operation. When its process has
     * ended, it is what the thread did that launched last of those whose processes have not; where there is none, the first one's still.
     */
    private void blameTail(Stretch gap) {
        int first = lastLaunch(Long.MIN_VALUE);
        if (first < 0) {
            put("tail", -1, LedgerClass.UNATTRIBUTED, gap.durationNs());
            return;
        }
        long fromNs = gap.startNs();
        while (fromNs < gap.endNs()) {
            int launch = lastLaunch(fromNs);
            int thread = timeline.track(launch < 0 ? first : launch);
            long toNs = launch < 0 ? gap.endNs() : Math.min(gap.endNs(), endOfProcess(thread));
            host("tail", thread, fromNs, toNs);
            fromNs = toNs;
        }
    }

    private int lastLaunch(long afterNs) {
        int last = -1;
        for (int operation : operations) {
            int launch = launchOf[operation];
            if (launch >= 0
                    && endOfProcess(timeline.track(launch)) > afterNs
                    && (last < 0 || timeline.startNs(launch) >= timeline.startNs(last))) {
                last = launch;
            }
        }
        return last;
    }

    private long endOfProcess(int thread) {
        int process = timeline.tracks().get(thread).parent();
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.PROCESS && timeline.track(row) == process)
                .mapToLong(timeline::endNs)
                .max()
                .orElse(Long.MAX_VALUE);
    }

    private void host(String phase, int thread, long fromNs, long toNs) {
        threads.get(thread).explain(fromNs, toNs, (whose, account) -> {
            account(phase).addAll(account);
            account.times().forEach((c, t) -> blame.merge(blameKey(phase, whose, c), t.ns(), Long::sum));
        });
    }

    private void put(String phase, int thread, LedgerClass ledgerClass, long ns) {
        if (ns > 0) {
            account(phase).addMeasured(ledgerClass, ns);
            blame.merge(blameKey(phase, thread, ledgerClass), ns, Long::sum);
        }
    }

    private String blameKey(String phase, int thread, LedgerClass ledgerClass) {
        String name = thread < 0 ? "" : Threads.label(timeline, thread);
        return String.join(" / ", phase, name, ledgerClass.name());
    }

    private NaiveAccount account(String phase) {
        return phases.getOrDefault(phase, new NaiveAccount());
    }

    /** Returns idle time by phase, thread and class. */
    Map<String, Long> blame() {
        return blame;
    }

    /** Returns the time by class of {@code head}, {@code span}, {@code tail} and {@code window}. */
    Map<String, Map<LedgerClass, NaiveAccount.Time>> ledgers() {
        NaiveAccount whole = new NaiveAccount();
        phases.values().forEach(whole::addStretch);
        return Map.of(
                "head", account("head").ofStretch(firstNs - window.startNs()),
                "span", account("span").ofStretch(lastNs - firstNs),
                "tail", account("tail").ofStretch(window.endNs() - lastNs),
                "window", whole.ofStretch(window.durationNs()));
    }
}

package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Activity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Says which class the time belongs to in which a row is the innermost one on its thread.
 *
 * <p>A row's own meaning counts first (an API call by its name, a range by its recorder's word or its name); a row that is only
 * <em>how</em> something is done (an operator, a helper function) belongs to <em>what</em> is done around it when that is tokenization,
 * preprocessing, serialisation, loading or the profiler.
 */
public final class ActivityClassifier {
    private static final LedgerClass[] CLASSES = LedgerClass.values();
    private static final byte NOTHING = -1;

    private final Timeline timeline;
    private final boolean deviceWork;

    /** Whether InferScope recorded it, and so looked at each process. */
    private final boolean isRun;

    /** By row: the ordinal of the class plus one, 0 where nobody asked yet. */
    private final byte[] classes;

    private final SampledStacks stacks;
    private final Locks locks;
    private final Places places;
    private final ByName framework;

    /** By name id, as {@link #classes}: what a name stands for, {@link #NOTHING} for nothing; and what an API call does. */
    private final byte[] domains;

    private final byte[] calls;

    /** Rows on the way from a row to its classified ancestor. */
    private int[] unknown = new int[64];

    public ActivityClassifier(Timeline timeline, boolean deviceWork) {
        this.timeline = timeline;
        this.deviceWork = deviceWork;
        this.isRun = timeline.tracks().stream()
                .anyMatch(track -> track.kind() == TrackKind.PROCESS
                        && timeline.firstRow(track.id()) < timeline.endRow(track.id())
                        && timeline.kind(timeline.firstRow(track.id())) == RowKind.PROCESS);
        this.classes = new byte[timeline.rowCount()];
        this.stacks = new SampledStacks(timeline.stacks(), deviceWork);
        this.locks = new Locks(timeline, stacks);
        this.places = new Places(timeline, stacks);
        this.framework = new ByName(timeline, NamePatterns::isFramework);
        this.domains = new byte[timeline.nameCount()];
        this.calls = new byte[timeline.nameCount()];
    }

    /** Returns the class of a host row. */
    public LedgerClass classify(int row) {
        if (classes[row] == 0) {
            classifyFromOutside(row);
        }
        return CLASSES[classes[row] - 1];
    }

    /** A row's class may depend on what is around it: that is classified first, without recursion, because nesting may be deep. */
    private void classifyFromOutside(int row) {
        int count = 0;
        for (int at = row; at >= 0 && classes[at] == 0; at = timeline.parent(at)) {
            if (count == unknown.length) {
                unknown = Arrays.copyOf(unknown, 2 * count);
            }
            unknown[count++] = at;
        }
        while (count > 0) {
            int at = unknown[--count];
            classes[at] = (byte) (compute(at).ordinal() + 1);
        }
    }

    /** Returns the class of a host row whose thread is known to be on a CPU: a sample that saw it wait is mistaken. */
    public LedgerClass classifyRunning(int row) {
        boolean sampled = timeline.kind(row) == RowKind.STACK_SAMPLE && stack(row) >= 0;
        return sampled ? stacks.classifyRunning(stack(row)) : classify(row);
    }

    private int stack(int row) {
        return (int) Math.max(-1, timeline.attribute(row, Attribute.STACK));
    }

    public boolean pythonStacksWithoutNativeFrames() {
        return stacks.hasPythonFrames() && !stacks.hasNativeFrames();
    }

    /** Returns what one sample of a stack sample row stands for, at least 1 ns. */
    public long sampleNs(int row) {
        return sampleNs(timeline, row);
    }

    public static long sampleNs(Timeline timeline, int row) {
        return Math.max(1, timeline.durationNs(row) / Math.max(1, timeline.attribute(row, Attribute.SAMPLES)));
    }

    /** Returns whether stack samples say where in the code an innermost row is, because it has no frames itself. */
    public boolean isPlacedBySamples(int row) {
        RowKind kind = timeline.kind(row);
        return kind == RowKind.ANNOTATION || kind == RowKind.GC;
    }

    /**
     * Returns whether a row says so little about what is done in it that a stack sample inside says it better: the script, a scope, the
     * model. A range whose recorder knew what it is for, or whose name says it, is exact, and a sample only tells its place.
     */
    public boolean isCoarse(int row) {
        if (timeline.kind(row) != RowKind.ANNOTATION) {
            return false;
        }
        boolean open = switch (Activity.of(timeline.attribute(row, Attribute.ACTIVITY))) {
            case UNSPECIFIED, MODEL, INTERPRETER -> true;
            default -> false;
        };
        return open && (isModel(classify(row)) || isUnspecific(classify(row)));
    }

    private static boolean isModel(LedgerClass ledgerClass) {
        return ledgerClass == LedgerClass.CPU_MODEL_COMPUTE || ledgerClass == LedgerClass.FRAMEWORK_DISPATCH;
    }

    private static boolean isUnspecific(LedgerClass ledgerClass) {
        return ledgerClass == LedgerClass.CPU_PYTHON
                || ledgerClass == LedgerClass.CPU_CODE
                || ledgerClass == LedgerClass.UNATTRIBUTED;
    }

    /** Returns the class of time in which a row is innermost and a sample speaks for it; -1 stands for none. */
    public LedgerClass classify(int row, int sample) {
        if (row < 0) {
            return sample < 0 ? LedgerClass.UNATTRIBUTED : classify(sample);
        }
        return sample >= 0 && isCoarse(row) ? refined(classify(row), classify(sample)) : classify(row);
    }

    /** Returns the same for a thread known to be on a CPU: a sample that saw it wait is mistaken. */
    public LedgerClass classifyRunning(int row, int sample) {
        if (row < 0) {
            return sample < 0 ? LedgerClass.UNATTRIBUTED : classifyRunning(sample);
        }
        return sample >= 0 && isCoarse(row) ? refined(classify(row), classifyRunning(sample)) : classify(row);
    }

    /** Python of the framework inside the model is the model: which of its lines calls native code no frame of Python shows. */
    private static LedgerClass refined(LedgerClass coarse, LedgerClass seen) {
        boolean same = isModel(coarse) && (seen == LedgerClass.FRAMEWORK_PYTHON || isModel(seen));
        return same || seen == LedgerClass.UNATTRIBUTED ? coarse : seen;
    }

    /** Returns what one sample stands for, in ns, where a sample decides the class; 0 where none does. */
    long weightNs(int row, int sample) {
        return sample >= 0 && (row < 0 || isCoarse(row)) ? sampleNs(sample) : 0;
    }

    /** Returns the class of the time in which a thread was blocked, from its recorded state and what a sample saw. */
    public LedgerClass classifyBlocked(int stateRow, int row, int sample) {
        LedgerClass around = row < 0 ? LedgerClass.UNATTRIBUTED : classify(row);
        if (around == LedgerClass.FRAMEWORK_SYNC_RETURN
                || around == LedgerClass.WAIT_GC
                || around == LedgerClass.PROFILER) {
            return around; // Such a range is itself a wait, whatever the thread is blocked on inside.
        }
        WaitReason reason = WaitReason.of(timeline.attribute(stateRow, Attribute.WAIT_REASON));
        LedgerClass recorded = ThreadState.blockedOn(reason).ledgerClass();
        int stack = sample < 0 ? -1 : stack(sample);
        if (recorded != LedgerClass.WAIT_UNKNOWN || stack < 0) {
            return recorded;
        }
        if (timeline.attribute(sample, Attribute.GIL) == SampledGil.WAITS && reason != WaitReason.PIPE) {
            return LedgerClass.WAIT_GIL;
        }
        LedgerClass seen = stacks.waiting(stack);
        return switch (reason) {
            case UNKNOWN -> seen == null ? recorded : seen;
            case PIPE -> seen == LedgerClass.WAIT_CHILD_PROCESS ? seen : recorded;
            default ->
                seen == LedgerClass.WAIT_LOCK || locks.wasLock(stateRow, sample) ? LedgerClass.WAIT_LOCK : recorded;
        };
    }

    /**
     * Returns what a thread that is blocked on a futex inside the model of a program without a device waits for: the other threads of an
     * operator, which compute. Null elsewhere.
     */
    public @Nullable LedgerClass awaitedCompute(int stateRow, int row, int sample) {
        boolean futex = !deviceWork
                && stateRow >= 0
                && WaitReason.of(timeline.attribute(stateRow, Attribute.WAIT_REASON)) == WaitReason.FUTEX;
        LedgerClass around = futex ? classifyRunning(row, sample) : LedgerClass.UNATTRIBUTED;
        return isModel(around) ? around : null;
    }

    /** Returns the state of a blocked thread, as precise as its class. */
    ThreadState stateOf(int stateRow, LedgerClass waits) {
        ThreadState recorded =
                ThreadState.blockedOn(WaitReason.of(timeline.attribute(stateRow, Attribute.WAIT_REASON)));
        if (recorded.ledgerClass() == waits) {
            return recorded;
        }
        return switch (waits) {
            case WAIT_LOCK -> ThreadState.LOCK;
            case WAIT_GIL -> ThreadState.GIL;
            case WAIT_CHILD_PROCESS -> ThreadState.CHILD_PROCESS;
            default -> recorded;
        };
    }

    SampledStacks stacks() {
        return stacks;
    }

    /** Returns the locks that threads were seen to wait for. */
    public Locks locks() {
        return locks;
    }

    private LedgerClass compute(int row) {
        RowKind kind = timeline.kind(row);
        return switch (kind) {
            case RUNTIME_CALL, DRIVER_CALL, GRAPH_LAUNCH -> call(row);
            case GC -> LedgerClass.WAIT_GC;
            case OPERATOR -> operator(row);
            case PYTHON_FUNCTION -> pythonFunction(row);
            case ANNOTATION -> annotation(row);
            case STACK_SAMPLE -> sample(row);
            default -> LedgerClass.UNATTRIBUTED;
        };
    }

    private LedgerClass sample(int row) {
        if (stack(row) < 0) {
            return LedgerClass.UNATTRIBUTED;
        }
        boolean waits = timeline.attribute(row, Attribute.GIL) == SampledGil.WAITS;
        return waits ? LedgerClass.WAIT_GIL : stacks.classify(stack(row));
    }

    private LedgerClass call(int row) {
        int name = timeline.nameId(row);
        if (calls[name] == 0) {
            calls[name] = (byte) (ApiCalls.classify(timeline.text(name)).ordinal() + 1);
        }
        return ApiCalls.lasting(CLASSES[calls[name] - 1], timeline.durationNs(row));
    }

    private LedgerClass operator(int row) {
        LedgerClass around = around(row);
        if (isDomain(around)) {
            return around;
        }
        if (!deviceWork) {
            return LedgerClass.CPU_MODEL_COMPUTE;
        }
        String name = timeline.name(row);
        boolean allocates = name.startsWith("aten::empty") || name.equals("aten::resize_") || name.equals("[memory]");
        return allocates ? LedgerClass.FRAMEWORK_ALLOCATION : LedgerClass.FRAMEWORK_DISPATCH;
    }

    private LedgerClass pythonFunction(int row) {
        LedgerClass own = domain(timeline.nameId(row));
        if (own != null) {
            return own;
        }
        LedgerClass around = around(row);
        if (isDomain(around)) {
            return around;
        }
        if (framework.testRow(row)) {
            return LedgerClass.FRAMEWORK_PYTHON;
        }
        boolean builtIn =
                around == LedgerClass.FRAMEWORK_PYTHON && timeline.name(row).startsWith("<built-in");
        return builtIn ? LedgerClass.FRAMEWORK_PYTHON : LedgerClass.CPU_PYTHON;
    }

    private LedgerClass annotation(int row) {
        LedgerClass said = said(Activity.of(timeline.attribute(row, Attribute.ACTIVITY)));
        if (said != LedgerClass.UNATTRIBUTED) {
            return said;
        }
        LedgerClass own = domain(timeline.nameId(row));
        if (own != null) {
            return own;
        }
        LedgerClass around = around(row);
        if (isDomain(around)) {
            return around;
        }
        if (NamePatterns.isCollective(timeline.name(row))) {
            return deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.WAIT_UNKNOWN;
        }
        if (NamePatterns.isModel(timeline.name(row))) {
            return deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.CPU_MODEL_COMPUTE;
        }
        return around == LedgerClass.CPU_MODEL_COMPUTE ? around : ownCode(row);
    }

    /**
     * Ranges of a program are of its Python code where it runs an interpreter. A run knows that of each process; of what other profilers recorded
     * nobody does, and most of it is Python.
     */
    private LedgerClass ownCode(int row) {
        int process = timeline.tracks().get(timeline.track(row)).parent();
        String pid = process < 0 ? "" : timeline.tracks().get(process).key();
        String runtime = timeline.properties().getOrDefault("process." + pid + ".runtime", "");
        boolean python = runtime.isEmpty() ? !isRun : !runtime.startsWith("JVM");
        return python ? LedgerClass.CPU_PYTHON : LedgerClass.CPU_CODE;
    }

    /** The table of docs/spool-format.md. */
    private LedgerClass said(Activity activity) {
        return switch (activity) {
            case UNSPECIFIED -> LedgerClass.UNATTRIBUTED;
            case TOKENIZATION -> LedgerClass.CPU_TOKENIZATION;
            case PREPROCESSING, DATA_LOADING -> LedgerClass.CPU_PREPROCESSING;
            case SERIALIZATION -> LedgerClass.CPU_SERIALIZATION;
            case MODEL -> deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.CPU_MODEL_COMPUTE;
            case COPY -> LedgerClass.FRAMEWORK_DISPATCH;
            case SYNCHRONISATION -> LedgerClass.FRAMEWORK_SYNC_RETURN;
            case LOAD -> LedgerClass.FRAMEWORK_COMPILE_LOAD;
            case INTERPRETER -> LedgerClass.CPU_PYTHON;
            case GARBAGE_COLLECTION -> LedgerClass.WAIT_GC;
            case PROFILER -> LedgerClass.PROFILER;
        };
    }

    private LedgerClass around(int row) {
        int parent = timeline.parent(row);
        return parent < 0 || !timeline.kind(parent).isHostActivity() ? LedgerClass.UNATTRIBUTED : classify(parent);
    }

    private static boolean isDomain(LedgerClass ledgerClass) {
        return switch (ledgerClass) {
            case CPU_TOKENIZATION, CPU_PREPROCESSING, CPU_SERIALIZATION, FRAMEWORK_COMPILE_LOAD, PROFILER -> true;
            default -> false;
        };
    }

    private @Nullable LedgerClass domain(int nameId) {
        if (domains[nameId] == 0) {
            LedgerClass domain = NamePatterns.domain(timeline.text(nameId));
            domains[nameId] = domain == null ? NOTHING : (byte) (domain.ordinal() + 1);
        }
        return domains[nameId] == NOTHING ? null : CLASSES[domains[nameId] - 1];
    }

    /** Returns whether any frame of a stack is code of the program itself, and not of a library. */
    public boolean hasOwnCode(int stack) {
        return stacks.hasOwnCode(stack);
    }

    /** Returns the number of the place of a row, for {@link #place}; -1 stands for no row. */
    public int placeOf(int row) {
        return places.of(row);
    }

    /** Returns the number of the place of a piece: where a sample speaks for it, the innermost line of the user's own code there. */
    public int placeOf(Piece piece) {
        return places.of(piece.sample() >= 0 && stack(piece.sample()) >= 0 ? piece.sample() : piece.row());
    }

    /** Returns {@code file:line} of a place, empty for the place of rows around which no frame was recorded. */
    public String place(int place) {
        return places.text(place);
    }

    /** Returns {@code file:line function} of the innermost user frame around a row, empty when no frame was recorded. */
    public String where(int row) {
        return places.text(places.of(row));
    }
}

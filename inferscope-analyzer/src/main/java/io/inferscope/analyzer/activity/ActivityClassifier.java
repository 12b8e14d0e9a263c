package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.calls.BriefCalls;
import io.inferscope.analyzer.calls.IdleWaits;
import io.inferscope.analyzer.calls.OperatorCalls;
import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides the class of time in which a row is the innermost one on its thread, from the row, samples and the thread's
 * state.
 */
public final class ActivityClassifier {
    private final Timeline timeline;
    private final boolean deviceWork;
    private final SampledStacks stacks;
    private final RowClasses rows;
    private final Locks locks;
    private final CodePlaces places;
    private final RowMeanings meanings;
    private final CodeBuilds builds;
    private final HostComputing computing;
    private final Lazy<IdleWaits> idle;
    private final NamePredicate ownFunctions;

    public ActivityClassifier(Timeline timeline, boolean deviceWork) {
        this.timeline = timeline;
        this.deviceWork = deviceWork;
        this.stacks = new SampledStacks(timeline, deviceWork);
        this.rows = new RowClasses(timeline, stacks, deviceWork);
        this.locks = new Locks(timeline, stacks);
        this.places = new CodePlaces(timeline, stacks);
        this.meanings = new RowMeanings(timeline, rows, places);
        this.builds = new CodeBuilds(timeline, this);
        this.computing = new HostComputing(timeline);
        this.ownFunctions = NamePredicate.ofFrames(timeline, stacks::isOwnFunction);
        this.idle = new Lazy<>(() -> new IdleWaits(timeline));
    }

    /** Returns which waits are those of a server that has nothing to do. */
    public IdleWaits idle() {
        return idle.get();
    }

    /** Returns when a thread built code for the device that it then loaded; each interval ends with the load. */
    Intervals builds(int track) {
        return builds.of(track);
    }

    /** Returns when a thread cannot have dispatched operators to a device, because it called no runtime for long. */
    Intervals withoutCalls(int track) {
        return computing.of(track);
    }

    /** Returns whether a sample saw native code at work. */
    boolean sawNative(int sample) {
        return sample >= 0 && FramePatterns.isNative(timeline.frame(timeline.nameId(sample)));
    }

    /** Returns when the building of what a call loads began, in ns: the start of a call that loads nothing so built. */
    public long builtFromNs(int call) {
        return builds.fromNs(call);
    }

    /** Returns whether the recording has work of a device. */
    boolean hasDeviceWork() {
        return deviceWork;
    }

    /** Returns what the time of host rows means. */
    public RowMeanings meanings() {
        return meanings;
    }

    /** Returns the class of a host row. */
    public LedgerClass classify(int row) {
        return meanings.cause(meanings.of(row));
    }

    /** Returns the class of a host row whose thread is known to be on a CPU: a sampled wait is ignored. */
    public LedgerClass classifyRunning(int row) {
        boolean sampled = timeline.kind(row) == RowKind.STACK_SAMPLE && rows.stack(row) >= 0;
        return sampled ? stacks.classifyRunning(rows.stack(row)) : classify(row);
    }

    /** Returns whether any stack of the recording has Python in it. */
    public boolean hasPythonFrames() {
        return stacks.hasPythonFrames();
    }

    public boolean pythonStacksWithoutNativeFrames() {
        return stacks.hasPythonFrames() && stacks.hasHardlyNativeFrames();
    }

    /** Returns the time that one sample of a stack sample row represents, at least 1 ns. */
    public long sampleNs(int row) {
        return sampleNs(timeline, row);
    }

    public static long sampleNs(Timeline timeline, int row) {
        return Math.max(1, timeline.durationNs(row) / Math.max(1, timeline.attribute(row, Attribute.SAMPLES)));
    }

    /** Returns whether a row's place in the code comes from stack samples, because the row has no frames itself. */
    public boolean isPlacedBySamples(int row) {
        RowKind kind = timeline.kind(row);
        return kind == RowKind.ANNOTATION || kind == RowKind.GC || kind == RowKind.HOST_FUNCTION;
    }

    /**
     * Returns whether a row is so general (the script, a scope, the model) that a stack sample inside it describes its
     * work better. A range whose purpose is recorded, or shown by its name, is specific: a sample only adds its place.
     */
    public boolean isCoarse(int row) {
        if (timeline.kind(row) != RowKind.ANNOTATION) {
            return timeline.kind(row) == RowKind.HOST_FUNCTION;
        }
        boolean open = switch (RangeActivity.of(timeline.attribute(row, Attribute.ACTIVITY))) {
            case UNSPECIFIED, MODEL, INTERPRETER -> true;
            default -> false;
        };
        return open && (isModel(classify(row)) || isUnspecific(classify(row)));
    }

    /**
     * Returns whether a sample describes the work inside a row better than the row: one that is coarse, or a call that
     * prepares inputs or results and loads or compiles something for it.
     */
    private boolean showsMore(int sample, int row) {
        if (isCoarse(row)) {
            return true;
        }
        int stack = timeline.kind(row) == RowKind.ANNOTATION ? rows.stack(sample) : -1;
        return stack >= 0
                && stacks.loadsInRange(stack)
                && switch (RangeActivity.of(timeline.attribute(row, Attribute.ACTIVITY))) {
                    case TOKENIZATION, PREPROCESSING, SERIALIZATION -> true;
                    default -> false;
                };
    }

    private boolean shows(int sample, IntPredicate question) {
        int stack = rows.stack(sample);
        return stack >= 0 && question.test(stack);
    }

    /** Returns whether a stack sample is in a call that costs more than its work: see {@link BriefCalls}. */
    public boolean isBriefCall(int sample) {
        return shows(sample, stacks::isBriefCall);
    }

    /** Returns whether a stack sample is in a call that makes a tensor of numbers in Python's lists. */
    public boolean readsList(int sample) {
        return shows(sample, stacks::readsList);
    }

    /** Returns whether a stack sample shows what calling a model's small operators costs: see {@link OperatorCalls}. */
    boolean leadsToSmallOperator(int sample) {
        return shows(sample, stacks::leadsToSmallOperator);
    }

    /** Returns whether a stack sample leads through a model's code. */
    public boolean isInModel(int sample) {
        return shows(sample, stacks::isInModel);
    }

    /** Returns whether a row is a call of a model that stack samples describe better. */
    boolean isCoarseModel(int row) {
        return isCoarse(row) && isModel(classify(row));
    }

    /** Returns whether a stack sample of a native program saw the thread go to sleep for a lock or a condition. */
    boolean sawGoingToLock(int sample) {
        return shows(sample, stacks::goesToLock);
    }

    /** Returns whether a blocked thread with this stack sample waits for another process of the program. */
    boolean waitsForProcess(int sample) {
        return shows(sample, stacks::waitsForProcess);
    }

    /** Returns whether a thread with this stack sample sleeps in a library's code, not in the program's own. */
    boolean sleepsInLibrary(int sample) {
        return shows(sample, stacks::isInLibrary);
    }

    /** Returns whether a stack sample shows the model's work on a stack of Python. */
    boolean isModelFromPython(int row) {
        int stack = rows.stack(row);
        return stack >= 0 && stacks.isPython(stack) && isModel(classify(row));
    }

    static boolean isModel(LedgerClass ledgerClass) {
        return ledgerClass == LedgerClass.CPU_MODEL_COMPUTE || ledgerClass == LedgerClass.FRAMEWORK_DISPATCH;
    }

    private static boolean isUnspecific(LedgerClass ledgerClass) {
        return ledgerClass == LedgerClass.CPU_PYTHON
                || ledgerClass == LedgerClass.CPU_CODE
                || ledgerClass == LedgerClass.CPU_UNKNOWN
                || ledgerClass == LedgerClass.CPU_NATIVE
                || ledgerClass == LedgerClass.UNATTRIBUTED;
    }

    /** Returns the class of time in which a row is innermost and a sample represents it; -1 for no row or no sample. */
    public LedgerClass classify(int row, int sample) {
        if (row < 0) {
            return sample < 0 ? LedgerClass.UNATTRIBUTED : classify(sample);
        }
        return sample >= 0 && showsMore(sample, row) ? refined(classify(row), classify(sample), sample) : classify(row);
    }

    /** Returns the same for a thread known to be on a CPU: a sampled wait is ignored. */
    public LedgerClass classifyRunning(int row, int sample) {
        if (row < 0) {
            return sample < 0 ? LedgerClass.UNATTRIBUTED : classifyRunning(sample);
        }
        if (classify(row) == LedgerClass.WAIT_TIMER) {
            return sample >= 0 ? classifyRunning(sample) : LedgerClass.CPU_PYTHON;
        }
        return sample >= 0 && showsMore(sample, row)
                ? refined(classify(row), classifyRunning(sample), sample)
                : classify(row);
    }

    /**
     * The Python code of packages inside the model counts as the model, because no Python frame shows which of its
     * lines calls native code. So does a recorded call of an engine that is native code itself, unless its own frames
     * tell more.
     */
    private LedgerClass refined(LedgerClass coarse, LedgerClass seen, int sample) {
        boolean support = (seen == LedgerClass.CPU_NATIVE && stacks.isSupport(rows.stack(sample)))
                || (isUnspecific(seen) && rows.stack(sample) >= 0 && stacks.isInNativeRange(rows.stack(sample)));
        boolean leadsToSmall =
                coarse == LedgerClass.CPU_MODEL_COMPUTE && seen == LedgerClass.FRAMEWORK_DISPATCH; // See OperatorCalls.
        boolean packages = seen == LedgerClass.FRAMEWORK_PYTHON || seen == LedgerClass.LIBRARY_PYTHON;
        boolean same = isModel(coarse) && (packages || isModel(seen) || support);
        return (same && !leadsToSmall) || seen == LedgerClass.UNATTRIBUTED ? coarse : seen;
    }

    /** Returns whether a sample saw its thread asleep, or in a function that waits. */
    public boolean sawWaiting(int sample) {
        return timeline.attribute(sample, Attribute.GIL) == SampledGil.BLOCKED
                || (rows.stack(sample) >= 0 && stacks.waiting(rows.stack(sample)) != null);
    }

    /** Returns whether a sample saw its thread in a pool's loop, where it takes the next item. */
    boolean sawTakingWork(int sample) {
        return rows.stack(sample) >= 0 && stacks.takesWork(rows.stack(sample));
    }

    /** Returns the time that one sample represents, in ns, if a sample decides the class; otherwise 0. */
    long weightNs(int row, int sample) {
        return sample >= 0 && (row < 0 || showsMore(sample, row)) ? sampleNs(sample) : 0;
    }

    /** Returns the class of a thread's blocked time, from its recorded state and a sample. */
    public LedgerClass classifyBlocked(int stateRow, int row, int sample) {
        LedgerClass around = row < 0 ? LedgerClass.UNATTRIBUTED : classify(row);
        if (around == LedgerClass.FRAMEWORK_SYNC_RETURN
                || around == LedgerClass.WAIT_GC
                || around == LedgerClass.PROFILER
                || around.isCopy()) {
            return around; // The range itself is a wait, whatever blocks the thread inside it.
        }
        WaitReason reason = WaitReason.of(timeline, stateRow);
        LedgerClass recorded = ThreadState.blockedIn(timeline, stateRow).ledgerClass();
        if (around == LedgerClass.WAIT_TIMER && (isOfLoops(recorded) || recorded == around)) {
            return around;
        }
        if (around == LedgerClass.FRAMEWORK_COMPILE_LOAD
                && recorded != LedgerClass.WAIT_GIL
                && rows.isInCompilation(row)) {
            return around; // The thread waits for compiler processes or their files.
        }
        if (recorded == LedgerClass.WAIT_STOPPED) {
            return recorded;
        }
        int stack = sample < 0 ? -1 : rows.stack(sample);
        if (recorded.isWaiting()
                && (idle.get().isIdle(stateRow)
                        || (recorded == LedgerClass.WAIT_UNKNOWN && isWorkerWithoutTask(stateRow, stack)))) {
            return LedgerClass.WAIT_IDLE;
        }
        if (recorded == LedgerClass.WAIT_TIMER
                && stack >= 0
                && stacks.waiting(stack) == LedgerClass.WAIT_CHILD_PROCESS) {
            return LedgerClass.WAIT_CHILD_PROCESS; // With a time limit, Python sleeps between looks at the process.
        }
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
     * Returns whether a thread is a library's worker without a task: in a process that serves, one without own code, else
     * one of a pool while the process is quiet.
     */
    private boolean isWorkerWithoutTask(int stateRow, int stack) {
        int process = timeline.tracks().get(timeline.track(stateRow)).parent();
        return stack >= 0
                && !stacks.hasOwnCode(stack)
                && ((stacks.isPython(stack) && idle.get().serves(process))
                        || (stacks.awaitsWork(stack) && idle.get().isQuiet(stateRow)));
    }

    /** Returns whether a wait looks, from outside, like one of an event loop. */
    private static boolean isOfLoops(LedgerClass wait) {
        return wait == LedgerClass.WAIT_SOCKET || wait == LedgerClass.WAIT_UNKNOWN;
    }

    /**
     * Returns the class of a library's pool threads if a thread is blocked on a futex inside the model, inside a
     * compiler, or inside native code of another library, of a program without a device: it waits for them to compute.
     * Null otherwise.
     */
    public @Nullable LedgerClass awaitedCompute(int stateRow, int row, int sample) {
        boolean futex = !deviceWork && stateRow >= 0 && WaitReason.of(timeline, stateRow) == WaitReason.FUTEX;
        LedgerClass around = futex ? classifyRunning(row, sample) : LedgerClass.UNATTRIBUTED;
        boolean pooled =
                isModel(around) || around == LedgerClass.CPU_NATIVE || around == LedgerClass.FRAMEWORK_COMPILE_LOAD;
        return pooled ? around : null;
    }

    /** Returns the state of a blocked thread; its class may tell it more precisely than the recorded one. */
    ThreadState stateOf(int stateRow, LedgerClass waits) {
        ThreadState recorded = ThreadState.blockedIn(timeline, stateRow);
        if (recorded.ledgerClass() == waits) {
            return recorded;
        }
        return switch (waits) {
            case WAIT_LOCK -> ThreadState.LOCK;
            case WAIT_GIL -> ThreadState.GIL;
            case WAIT_CHILD_PROCESS -> ThreadState.CHILD_PROCESS;
            case WAIT_TIMER -> ThreadState.TIMER;
            default -> recorded;
        };
    }

    /** Returns what stacks tell, by their ids. */
    public SampledStacks stacks() {
        return stacks;
    }

    /** Returns the locks that threads were seen to wait for. */
    public Locks locks() {
        return locks;
    }

    /**
     * Returns the functions of the stack that represents a piece, without the thread's start function and the standard
     * library; none if no stack represents it.
     */
    public Set<String> functionsOfWork(ThreadPiece piece) {
        int stack = piece.sample() < 0 ? -1 : rows.stack(piece.sample());
        return stack < 0 ? Set.of() : stacks.functionsOfWork(stack);
    }

    /** Returns whether the recording itself names a lock as the reason of a wait, rather than this analysis. */
    public boolean isRecordedLock(ThreadPiece piece) {
        return piece.stateRow() >= 0 && WaitReason.of(timeline, piece.stateRow()) == WaitReason.LOCK;
    }

    /** Returns whether functions that were recorded one by one are Python's. Other languages have such recorders, too. */
    public boolean hasPythonFunctions() {
        return rows.showsPython();
    }

    /** Returns whether a recorded function is the program's own. */
    public boolean isOwnFunction(int row) {
        return ownFunctions.testRow(row);
    }

    /**
     * Returns whether code of a library between a stack's own code and its innermost frame runs a compiled model, or
     * trains one.
     */
    public boolean runsModel(int stack) {
        return stacks.isBeneathOwn(stack, FrameRole.RUNS_MODEL) || !stacks.isPython(stack);
    }

    /**
     * Returns whether a piece is a wait of an event loop that own code runs, or what a server that it runs does around a
     * handler: the line that started them does not do it.
     */
    public boolean isOfLoop(ThreadPiece piece) {
        LedgerClass of = piece.ledgerClass();
        boolean waits = of.isWaiting() && !of.isHostWork();
        return piece.sample() >= 0 && isOfLoop(rows.stack(piece.sample()), waits);
    }

    /** Returns the same for a stack whose thread waits or not. */
    public boolean isOfLoop(int stack, boolean waits) {
        return stack >= 0
                && (stacks.isBeneathOwn(stack, FrameRole.SERVES)
                        || (waits && stacks.isBeneathOwn(stack, FrameRole.STARTS_LOOP)));
    }

    /** Returns whether a stack sample shows code that turns what came in into objects. */
    public boolean parses(int sample) {
        return shows(sample, stack -> stacks.isBeneathOwn(stack, FrameRole.PARSES));
    }

    /** Returns whether a stack is in an import of Python. */
    public boolean isInImport(int stack) {
        return stacks.isBeneathOwn(stack, FrameRole.IMPORTS);
    }

    /**
     * Returns whether a blocked thread with this stack is in native code that own code calls, and not known to wait; or
     * waits for a condition that a package called by own code made, other than a framework, or for a result.
     */
    public boolean waitsInLibrary(int stack) {
        LedgerClass wait = stacks.waiting(stack);
        return stacks.hasOwnCode(stack)
                && !stacks.isOwnCode(stack)
                && !takesWork(stack)
                && (wait == null
                        || stacks.isBeneathOwn(stack, FrameRole.AWAITS_RESULT)
                        || (wait == LedgerClass.WAIT_UNKNOWN && stacks.callsPackage(stack)));
    }

    /** Returns whether a blocked thread with this stack waits for work, or for connections. */
    public boolean takesWork(int stack) {
        return stacks.takesWork(stack) || stacks.isBeneathOwn(stack, FrameRole.TAKES_CONNECTIONS);
    }

    /** Returns whether a stack sample shows code of the program itself. */
    boolean showsOwnCode(int sample) {
        return shows(sample, stacks::hasOwnCode);
    }

    /** Returns whether a stack sample is in a loop that its thread shares with a team of threads. */
    boolean joinsTeam(int sample) {
        return shows(sample, stack -> stacks.isBeneathOwn(stack, FrameRole.JOINS_TEAM));
    }

    /** Returns whether a stack sample shows a goroutine. */
    boolean showsGoroutine(int sample) {
        return shows(sample, stacks::isGoroutine);
    }

    /**
     * Returns the innermost line of the program's own code on a stack, as {@code file:line function}; empty where there
     * is none, or for stack -1.
     */
    public String ownLine(int stack) {
        return stack >= 0 && stacks.hasOwnCode(stack)
                ? CodePlaces.place(timeline.frame(stacks.userFrameNameId(stack)))
                : "";
    }

    /** Returns the number of a row's place, for {@link #place}; row -1 is no row. */
    public int placeOf(int row) {
        return meanings.place(meanings.of(row));
    }

    /**
     * Returns the number of a piece's place: if a sample represents the piece, the innermost line of the user's code in
     * the sample. A timer's place is the line that set it: while an event loop waits, no task is on the stack. Native
     * stacks are taken on a CPU alone: what such a thread ran before it went to sleep need not be what put it to sleep.
     */
    public int placeOf(ThreadPiece piece) {
        boolean sleeps = piece.ledgerClass().isWaiting()
                && (piece.state() == ThreadState.FUTEX
                        || piece.state() == ThreadState.LOCK
                        || piece.state() == ThreadState.TIMER);
        boolean sampled = piece.sample() >= 0
                && rows.stack(piece.sample()) >= 0
                && !(sleeps && stacks.sawNativeWork(rows.stack(piece.sample())));
        return placeOf(sampled && !isLoopsWait(piece.row()) ? piece.sample() : piece.row());
    }

    /** Returns whether a row is a wait of an event loop, with the line of the task that awaits something. */
    public boolean isLoopsWait(int row) {
        return row >= 0
                && KnownWaits.isLoops(timeline, row)
                && timeline.attribute(row, Attribute.WHERE) != Attribute.ABSENT;
    }

    /**
     * Returns the name id of a piece's activity, -1 if none is recorded. For a waiting thread, native frames are
     * skipped: they were sampled on a CPU. A wait outside any activity has the name of its call, if a recorder of calls
     * wrote it.
     */
    public int activityOf(ThreadPiece piece) {
        int row = piece.describingRow();
        int state = piece.stateRow();
        if (row < 0
                && state >= 0
                && piece.ledgerClass().isWaiting()
                && timeline.attribute(state, Attribute.DETAIL) == timeline.nameId(state)) {
            return timeline.nameId(state);
        }
        int stack = row < 0 || timeline.kind(row) != RowKind.STACK_SAMPLE ? -1 : rows.stack(row);
        boolean waits = stack >= 0 && piece.ledgerClass().isWaiting();
        return waits ? stacks.waitingNameId(stack) : row < 0 ? -1 : timeline.nameId(row);
    }

    /** Returns {@code file:line} of a place, empty for the place of rows around which no frame was recorded. */
    public String place(int place) {
        return places.text(place);
    }

    /**
     * Returns {@code file:line function} of the innermost user frame around a row, empty when no frame was recorded.
     */
    public String where(int row) {
        return places.text(placeOf(row));
    }
}

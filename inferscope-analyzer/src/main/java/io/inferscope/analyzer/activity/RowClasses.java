package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.FrameRoles;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ColumnStore;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The class of a host row's own time.
 *
 * <p>A row's own meaning counts first: an API call by its name, a range by its recorded activity or its name. An
 * operator or a helper function takes the class of the row around it if that is tokenization, preprocessing,
 * serialisation, loading or the profiler.
 */
final class RowClasses {
    private static final LedgerClass[] CLASSES = LedgerClass.values();
    private static final byte NOTHING = -1;

    /** A shorter call of a function that may wait found its lock free, or its data there. */
    private static final long LEAST_WAIT_NS = 10_000;

    /** Longer times between operators are not what calling an operator takes. */
    private static final long MOST_DISPATCH_NS = 100_000;

    /** Dispatching an operator takes 5 to 100 us. */
    private static final long LEAST_COMPUTING_NS = 1_000_000;

    private final Timeline timeline;
    private final boolean deviceWork;

    /** Whether InferScope made the recording, which then names the runtime of each process. */
    private final boolean isRun;

    private final SampledStacks stacks;
    private final NamePredicate framework;
    private final NamePredicate knownFramework;

    /** Packages, beside the known frameworks, whose code leads to the model. */
    private final Lazy<Set<String>> frameworks = new Lazy<>(this::packagesThatLeadToModel);

    private final NamePredicate models;
    private final NamePredicate builtInWaits;

    /** Functions that wait in compiled code, if they call nothing that is recorded. */
    private final NamePredicate waits;

    /**
     * By name id, the ordinal of a class plus one, 0 if not computed yet: the class that the name of a scope or a
     * function implies, {@link #NOTHING} for none; and what an API call does.
     */
    private final byte[] scopes;

    private final byte[] functions;
    private final byte[] calls;
    private final ColumnStore insideNs = new ColumnStore(0);
    private final ColumnStore operatorsInside = new ColumnStore(0);
    /** By track. */
    private final Map<Integer, Contents> contents = new HashMap<>();

    /** Rows for which it is known whether a compilation is around them, and those where one is. */
    private final BitSet compilationKnown = new BitSet();

    private final BitSet inCompilation = new BitSet();

    private final long firstUseNs;
    private final StagedCopies staged;
    private final Lazy<Boolean> showsPython;
    private @Nullable FrameRoles lastRoles;
    private int lastName;

    RowClasses(Timeline timeline, SampledStacks stacks, boolean deviceWork) {
        this.timeline = timeline;
        this.stacks = stacks;
        this.deviceWork = deviceWork;
        this.isRun = timeline.tracks().stream()
                .anyMatch(track -> track.kind() == TrackKind.PROCESS
                        && timeline.firstRow(track.id()) < timeline.endRow(track.id())
                        && timeline.kind(timeline.firstRow(track.id())) == RowKind.PROCESS);
        this.framework = NamePredicate.ofIds(timeline, name -> FramePatterns.isFramework(roles(name)));
        this.knownFramework = NamePredicate.ofIds(timeline, name -> FramePatterns.isKnownFramework(roles(name)));
        this.models = new NamePredicate(timeline, NameRole.MODEL::in);
        this.builtInWaits =
                NamePredicate.ofIds(timeline, name -> FramePatterns.builtInWait(timeline.frame(name), null) != null);
        this.waits = NamePredicate.ofIds(
                timeline, name -> timeline.frame(name).hasLine() && FramePatterns.waiting(roles(name)) != null);
        this.scopes = new byte[timeline.nameCount()];
        this.functions = new byte[timeline.nameCount()];
        this.calls = new byte[timeline.nameCount()];
        this.firstUseNs = firstUseNs();
        this.staged = new StagedCopies(timeline);
        this.showsPython =
                new Lazy<>(() -> Stream.concat(timeline.tracks().stream().map(Track::name), timeline.names())
                        .anyMatch(NameRole.OF_PYTHON::in));
    }

    /** Returns the roles of a function: several questions about one follow each other. */
    private FrameRoles roles(int name) {
        FrameRoles last = lastRoles;
        if (last == null || lastName != name) {
            last = new FrameRoles(timeline.frame(name));
            lastRoles = last;
            lastName = name;
        }
        return last;
    }

    /** Returns the stack that a row names, -1 for none. */
    int stack(int row) {
        return (int) Math.max(-1, timeline.attribute(row, Attribute.STACK));
    }

    /** Returns the class of a host row inside a row of class {@code around}; UNATTRIBUTED stands for no such row. */
    LedgerClass compute(int row, LedgerClass around) {
        if (around == LedgerClass.FRAMEWORK_COMPILE_LOAD && isInCompilation(row)) {
            return around; // Its garbage collections, benchmarks and waits are the compilation's.
        }
        RowKind kind = timeline.kind(row);
        return switch (kind) {
            case RUNTIME_CALL, DRIVER_CALL, GRAPH_LAUNCH -> call(row);
            case GC -> LedgerClass.WAIT_GC;
            case OPERATOR -> operator(row, around);
            case PYTHON_FUNCTION -> pythonFunction(row, around);
            case ANNOTATION -> annotation(row, around);
            case STACK_SAMPLE -> sample(row);
            case HOST_FUNCTION -> LedgerClass.CPU_UNKNOWN;
            default -> LedgerClass.UNATTRIBUTED;
        };
    }

    /** Returns whether a row is a recorded compilation, or inside one. Each row around it is looked at once for all inside. */
    boolean isInCompilation(int row) {
        int end = timeline.has(Attribute.ACTIVITY) ? row : -1;
        while (end >= 0 && !compilationKnown.get(end) && !isCompilation(end)) {
            end = timeline.parent(end);
        }
        boolean inside = end >= 0 && (inCompilation.get(end) || !compilationKnown.get(end));
        for (int at = row; at != end && at >= 0; at = timeline.parent(at)) {
            compilationKnown.set(at);
            inCompilation.set(at, inside);
        }
        return inside;
    }

    private boolean isCompilation(int row) {
        return timeline.attribute(row, Attribute.ACTIVITY) == RangeActivity.LOAD.ordinal()
                && NameRole.COMPILATION.in(timeline.name(row));
    }

    private LedgerClass sample(int row) {
        if (stack(row) < 0) {
            return LedgerClass.UNATTRIBUTED;
        }
        boolean waits = timeline.attribute(row, Attribute.GIL) == SampledGil.WAITS;
        return waits ? LedgerClass.WAIT_GIL : stacks.classify(stack(row));
    }

    private LedgerClass call(int row) {
        LedgerClass copy = staged.classOf(row);
        if (copy != LedgerClass.UNATTRIBUTED) {
            return copy;
        }
        int name = timeline.nameId(row);
        if (calls[name] == 0) {
            calls[name] = (byte) (ApiCalls.classify(timeline.text(name)).ordinal() + 1);
        }
        return ApiCalls.lasting(CLASSES[calls[name] - 1], timeline.durationNs(row), timeline.startNs(row) < firstUseNs);
    }

    /**
     * Returns when the first device operation of the recording starts; what runs before it does not wait for a device.
     */
    private long firstUseNs() {
        long firstNs = Long.MAX_VALUE;
        for (Track track : timeline.tracks()) {
            int first = timeline.firstRow(track.id());
            if (first < timeline.endRow(track.id()) && timeline.kind(first).isDeviceOperation()) {
                firstNs = Math.min(firstNs, timeline.startNs(first));
            }
        }
        return firstNs;
    }

    private LedgerClass operator(int row, LedgerClass around) {
        if (isDomain(around)) {
            return around;
        }
        String name = timeline.name(row);
        if (NameRole.COMPILE_STAGE.in(name)) {
            return LedgerClass.FRAMEWORK_COMPILE_LOAD;
        }
        if (!deviceWork) {
            return LedgerClass.CPU_MODEL_COMPUTE;
        }
        if (NameRole.ALLOCATES.in(name)) {
            return LedgerClass.FRAMEWORK_ALLOCATION;
        }
        return computesOnCpu(row, name) ? LedgerClass.CPU_NATIVE : LedgerClass.FRAMEWORK_DISPATCH;
    }

    /**
     * Returns whether an operator of a program with device work computes on the CPU: it takes long by itself, and no
     * call of the runtime or the driver is inside it although its thread's calls are recorded. New weights are filled
     * like this. Or its recorder says so.
     */
    private boolean computesOnCpu(int row, String name) {
        if (NameRole.ON_CPU.in(timeline.attributeText(row, Attribute.PROVIDER))) {
            return true;
        }
        if (timeline.durationNs(row) < LEAST_COMPUTING_NS
                || !name.contains("::")
                || !contents(row).hasCalls()) {
            return false;
        }
        Contents inside = contents(row);
        return inside.ownNs(row) >= LEAST_COMPUTING_NS && !inside.hasCall(row);
    }

    private Contents contents(int row) {
        return contents.computeIfAbsent(
                timeline.track(row), track -> new Contents(timeline, track, this::isFrame, insideNs, operatorsInside));
    }

    private LedgerClass pythonFunction(int row, LedgerClass around) {
        LedgerClass own = meaning(row, around, functions, name -> FramePatterns.domain(roles(name)));
        if (own != null) {
            return own;
        }
        if (framework.testRow(row)) {
            boolean leads = knownFramework.testRow(row)
                    || frameworks.get().contains(FramePatterns.packageOf(timeline.frame(timeline.nameId(row))));
            return leads ? LedgerClass.FRAMEWORK_PYTHON : LedgerClass.LIBRARY_PYTHON;
        }
        String name = timeline.name(row);
        LedgerClass waits = wait(row);
        if (waits != null) {
            return waits;
        }
        boolean ofPackage = around == LedgerClass.FRAMEWORK_PYTHON || around == LedgerClass.LIBRARY_PYTHON;
        boolean builtIn = name.startsWith("<built-in") || NameRole.GENERATED_LAUNCHER.in(name);
        return ofPackage && builtIn ? around : ownCode(row);
    }

    /** Returns the packages with a function between the model's operators or calls and the program's own code. */
    private Set<String> packagesThatLeadToModel() {
        Set<String> packages = new HashSet<>();
        BitSet seen = new BitSet();
        for (int row = 0; row < timeline.rowCount(); row++) {
            RowKind kind = timeline.kind(row);
            int at = kind == RowKind.OPERATOR || kind.isApiCall() ? timeline.parent(row) : -1;
            while (at >= 0 && !seen.get(at) && leadsToModel(at)) {
                seen.set(at);
                packages.add(FramePatterns.packageOf(timeline.frame(timeline.nameId(at))));
                at = timeline.parent(at);
            }
        }
        packages.remove("");
        return packages;
    }

    /** Returns whether a row around a part of the model's work is none of the program's own functions. */
    private boolean leadsToModel(int row) {
        return timeline.kind(row) != RowKind.PYTHON_FUNCTION
                || framework.testRow(row)
                || timeline.name(row).startsWith("<built-in");
    }

    /**
     * Returns whether the class of a function or an operator depends on how long it took: a call of a built-in function
     * that may wait, or an operator that may have computed on the CPU.
     */
    boolean lengthDecides(int row) {
        return timeline.kind(row) == RowKind.PYTHON_FUNCTION
                ? builtInWaits.testRow(row)
                : deviceWork
                        && timeline.kind(row) == RowKind.OPERATOR
                        && timeline.durationNs(row) >= LEAST_COMPUTING_NS;
    }

    private @Nullable LedgerClass wait(int row) {
        boolean callsNothing =
                row + 1 == timeline.endRow(timeline.track(row)) || timeline.startNs(row + 1) >= timeline.endNs(row);
        if (callsNothing && timeline.durationNs(row) >= LEAST_WAIT_NS && waits.testRow(row)) {
            return FramePatterns.waiting(roles(timeline.nameId(row)));
        }
        if (!builtInWaits.testRow(row) || timeline.durationNs(row) < LEAST_WAIT_NS) {
            return null;
        }
        int caller = timeline.parent(row);
        Frame around = caller < 0 ? null : timeline.frame(timeline.nameId(caller));
        return FramePatterns.builtInWait(timeline.frame(timeline.nameId(row)), around);
    }

    private LedgerClass annotation(int row, LedgerClass around) {
        LedgerClass own = meaning(row, around, scopes, name -> FramePatterns.ofScope(timeline.text(name)));
        if (own != null) {
            return own;
        }
        if (NameRole.COLLECTIVE.in(timeline.name(row))) {
            return deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.WAIT_UNKNOWN;
        }
        boolean inModel =
                !deviceWork && (around == LedgerClass.CPU_MODEL_COMPUTE || around == LedgerClass.FRAMEWORK_DISPATCH);
        if (inModel || models.testRow(row)) {
            return deviceWork || dispatches(row) ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.CPU_MODEL_COMPUTE;
        }
        LedgerClass code = ownCode(row);
        boolean isKnown = code != LedgerClass.CPU_PYTHON || isRun || timeline.has(Attribute.ON_CPU_NS);
        return isKnown ? code : rangeOfPython(row);
    }

    /**
     * The class of a range in another recorder's recording of a Python program. Python leaves a range by a call, so a
     * range of Python contains the start of a frame, unless it is named as one; inside a frame, any other range is the
     * framework's. Outside of frames, it is not known.
     */
    private LedgerClass rangeOfPython(int row) {
        if (NameRole.SOURCE_FILE.in(timeline.name(row))) {
            return LedgerClass.CPU_PYTHON;
        }
        Contents inside = contents(row);
        if (!inside.hasFrames()) {
            return LedgerClass.CPU_UNKNOWN;
        }
        if (inside.hasFrame(row)) {
            return LedgerClass.CPU_PYTHON;
        }
        return timeline.enclosing(row, RowKind.PYTHON_FUNCTION) >= 0
                ? LedgerClass.FRAMEWORK_DISPATCH
                : LedgerClass.CPU_UNKNOWN;
    }

    private boolean isFrame(int row) {
        return timeline.kind(row) == RowKind.PYTHON_FUNCTION
                || (timeline.kind(row) == RowKind.STACK_SAMPLE && stack(row) >= 0 && stacks.isPython(stack(row)));
    }

    /**
     * Returns whether a row of a program without device work only calls operators, one soon after the other. These
     * compute, and the row's own time between them is what calling them costs: 6 to 40 us each in recordings of
     * PyTorch. A longer time without an operator may be computing that was not recorded.
     */
    private boolean dispatches(int row) {
        Contents inside = contents(row);
        int operators = inside.operators(row);
        return operators > 0 && inside.ownNs(row) <= (operators + 1) * MOST_DISPATCH_NS;
    }

    /**
     * The class of a program's own ranges and functions: Python code if the process runs an interpreter. InferScope's
     * own recordings name the runtime of each process. In recordings of other profilers, names must show Python.
     */
    private LedgerClass ownCode(int row) {
        int process = timeline.tracks().get(timeline.track(row)).parent();
        boolean unknown = ProcessFact.RUNTIME.of(timeline, process).isEmpty();
        boolean python = unknown ? !isRun && showsPython() : !ProcessFact.isJvm(timeline, process);
        return python ? LedgerClass.CPU_PYTHON : LedgerClass.CPU_CODE;
    }

    /** Returns whether a name shows that the recording is of a Python program. */
    boolean showsPython() {
        return showsPython.get();
    }

    /** The class of a recorded activity: the table in docs/spool-format.md. */
    private LedgerClass classOf(RangeActivity activity) {
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
            case TIMER -> LedgerClass.WAIT_TIMER;
            case AWAIT -> LedgerClass.WAIT_SOCKET;
        };
    }

    private static boolean isDomain(LedgerClass ledgerClass) {
        return switch (ledgerClass) {
            case CPU_TOKENIZATION, CPU_PREPROCESSING, CPU_SERIALIZATION, FRAMEWORK_COMPILE_LOAD, PROFILER -> true;
            default -> false;
        };
    }

    /** Returns the class of a row's activity, else of its name, else of the row around it; null if none tells. */
    private @Nullable LedgerClass meaning(
            int row, LedgerClass around, byte[] known, IntFunction<@Nullable LedgerClass> ofName) {
        LedgerClass recorded = classOf(RangeActivity.of(timeline.attribute(row, Attribute.ACTIVITY)));
        if (recorded != LedgerClass.UNATTRIBUTED) {
            return recorded;
        }
        LedgerClass named = domain(timeline.nameId(row), known, ofName);
        return named == null && isDomain(around) ? around : named;
    }

    private @Nullable LedgerClass domain(int nameId, byte[] known, IntFunction<@Nullable LedgerClass> meaning) {
        if (known[nameId] == 0) {
            LedgerClass domain = meaning.apply(nameId);
            known[nameId] = domain == null ? NOTHING : (byte) (domain.ordinal() + 1);
        }
        return known[nameId] == NOTHING ? null : CLASSES[known[nameId] - 1];
    }
}

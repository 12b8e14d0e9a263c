package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.calls.BriefCalls;
import io.inferscope.analyzer.calls.OperatorCalls;
import io.inferscope.analyzer.calls.SeenStacks;
import io.inferscope.analyzer.calls.StaleCallers;
import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.knowledge.FrameRoles;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Frame.Language;
import io.inferscope.timeline.Frame.Role;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides the class of sampled stacks, and the source line that a programmer would look at.
 *
 * <p>The rules, from the innermost frame outwards; the first that applies decides: a waiting function with only library
 * code inside it; a frame whose name stands for tokenization, preprocessing, serialisation, loading or the profiler; a
 * call into the model's native code; the purpose of the native code below Python, where it was recorded, unless it is
 * one of many {@linkplain BriefCalls brief calls} or {@linkplain OperatorCalls leads to a small operator}; the owner of the first frame that is neither native nor of the
 * standard library. A wrapper of the probe is transparent: its time belongs to the function that it wraps. A stack's id
 * is greater than its caller's, so one pass in ascending order computes every answer from the caller's, at any depth.
 *
 * <p>A program may be an installed package, such as a server started by a console script. If every frame belongs to a
 * package, the program is the package in which most stacks begin, and its lines count as the user's own.
 */
public final class SampledStacks {
    /** Where native frames are recorded, more than one frame in so many is one. */
    private static final int HARDLY = 100;

    private static final int NONE = -1;
    private static final double CALLING = 0.1;

    /** The part of a package's samples that show the model's work from which the package is a framework. */
    private static final double LEADING = 0.1;

    /** So many samples of a model's work prove nothing, unless all are: native code may be of another line. */
    private static final int FEW = 2;

    private final Stacks stacks;
    private final boolean deviceWork;
    private final Map<Integer, Facts> frames = new HashMap<>();
    private final Facts[] innermost;
    private final @Nullable LedgerClass[] waits;
    private final @Nullable LedgerClass[] domains;
    private final boolean[] models;
    private final int[] owners;
    private final int[] userFrames;
    private final boolean[] inModule;

    /** By stack: whether a module calls a function of the program's own that is no forward pass. */
    private final boolean[] inHook;

    private final boolean[] runsModel;

    private final boolean[] ownFrames;

    /** By stack: whether the innermost frame is the recorder's own work, as opposed to that of a wrapped function. */
    private final boolean[] recording;

    /** By stack: whether a wrapper of a library function, which records a range, is around the innermost code. */
    private final boolean[] inRange;

    /** By stack: whether such a function imports or compiles something. */
    private final boolean[] loadsInRange;

    /** By stack: whether such a function is native code, so that no Python frame is inside its wrapper. */
    private final boolean[] inNativeRange;

    /**
     * By stack: the class of the native code below Python's innermost frame; null if the interpreter itself ran, or no
     * native stack was recorded.
     */
    private final @Nullable LedgerClass[] beneath;

    private final boolean[] inPython;

    /** By stack: see {@link StaleCallers}. */
    private final boolean[] stale;

    private final boolean[] readsList;

    /** By stack: whether it waits for something by asking again and again. */
    private final boolean[] yielding;

    private final boolean[] brief;

    /** By stack: what it shows of a model whose operators are small; null for others. */
    private final OperatorCalls.@Nullable Work[] ofSmallOperators;

    /** The names of lines of Python that call Python or a library for models. */
    private final Set<Integer> callingLines = new HashSet<>();

    private final Map<Integer, Set<String>> functionsOfWork = new HashMap<>();

    /** Packages, beside the known frameworks, whose code leads to the model. */
    private Set<String> frameworks = Set.of();

    /** Whether a library for models runs, other than the BLAS that NumPy and SciPy bring along. */
    private final boolean otherModels;

    /** The package that is the program, empty where the program is not installed. */
    private final String program;

    /**
     * The library whose functions are the program's own code, where no source line shows which are: a native program
     * built without them, or code that an engine such as Node.js generated. Empty otherwise.
     */
    private final String programFile;

    /** What a frame implies. A native function whose source line is known is code of the program, unless a library's. */
    private record Facts(
            FrameRoles roles,
            @Nullable LedgerClass waiting,
            @Nullable LedgerClass domain,
            boolean nativeCode,
            boolean standardLibrary,
            boolean installed,
            String inPackage,
            boolean framework,
            boolean knownFramework,
            boolean python,
            boolean plumbing,
            boolean forward,
            String library) {
        static Facts of(Frame frame) {
            FrameRoles roles = new FrameRoles(frame);
            boolean ofLine = frame.hasLine() && frame.language() == Language.NATIVE;
            LedgerClass waiting = FramePatterns.waiting(roles);
            boolean generated = roles.has(FrameRole.GENERATED);
            boolean nativeCode = FramePatterns.isNative(frame);
            boolean standardLibrary = ofLine
                    ? roles.has(FrameRole.LIBRARY_SOURCE)
                            || roles.has(FrameRole.SUPPORT)
                            || roles.has(FrameRole.RUNTIME)
                    : FramePatterns.isStandardLibrary(roles);
            boolean plumbing = nativeCode
                    || standardLibrary
                    || (ofLine ? waiting != null : generated || roles.has(FrameRole.PLUMBING))
                    || roles.has(FrameRole.RECORDER);
            return new Facts(
                    roles,
                    waiting,
                    ofLine ? null : FramePatterns.domain(roles),
                    nativeCode,
                    standardLibrary,
                    FramePatterns.isInstalled(frame),
                    FramePatterns.packageOf(frame),
                    FramePatterns.isFramework(roles),
                    generated || roles.has(FrameRole.FRAMEWORK),
                    frame.isPython(),
                    plumbing,
                    FramePatterns.isForward(frame),
                    frame.library());
        }

        boolean is(FrameRole role) {
            return roles.has(role);
        }

        boolean recorder() {
            return roles.has(FrameRole.RECORDER);
        }

        /** Whether the frame is Python of a package of which a name does not tell whether it is a framework. */
        boolean ofOtherPackage() {
            return python && framework && !knownFramework;
        }

        boolean kernel() {
            return roles.frame().role() == Role.KERNEL;
        }

        boolean isOwn(String program) {
            boolean own = program.isEmpty() ? !framework && !installed : inPackage.equals(program);
            return own && !plumbing;
        }
    }

    SampledStacks(Timeline timeline, boolean deviceWork) {
        stacks = timeline.stacks();
        this.deviceWork = deviceWork;
        int count = stacks.count();
        innermost = new Facts[count];
        waits = new LedgerClass[count];
        domains = new LedgerClass[count];
        models = new boolean[count];
        owners = new int[count];
        userFrames = new int[count];
        inModule = new boolean[count];
        inHook = new boolean[count];
        runsModel = new boolean[count];
        ownFrames = new boolean[count];
        recording = new boolean[count];
        inRange = new boolean[count];
        loadsInRange = new boolean[count];
        inNativeRange = new boolean[count];
        inPython = new boolean[count];
        readsList = new boolean[count];
        yielding = new boolean[count];
        beneath = new LedgerClass[count];
        Arrays.fill(owners, NONE);
        Arrays.fill(userFrames, NONE);
        for (int stack = 0; stack < count; stack++) {
            Frame frame = stacks.frame(stack);
            innermost[stack] = frames.computeIfAbsent(stacks.frameNameId(stack), id -> Facts.of(frame));
        }
        boolean showsOwn = frames.values().stream().anyMatch(frame -> frame.isOwn(""));
        otherModels = frames.values().stream()
                .anyMatch(frame -> frame.nativeCode
                        && !frame.is(FrameRole.WHEELS_BLAS)
                        && FramePatterns.ofLibrary(frame.library) == LedgerClass.CPU_MODEL_COMPUTE);
        program = showsOwn ? "" : outermost(frame -> frame.plumbing ? "" : frame.inPackage);
        programFile = programFile(showsOwn);
        Lazy<SeenStacks> seen = new Lazy<>(() -> SeenStacks.of(timeline));
        boolean mixed = hasPythonFrames() && hasNativeFrames();
        stale = mixed
                ? StaleCallers.of(
                        stacks,
                        seen.get().samples(),
                        stack -> innermost[stack].python,
                        stack -> innermost[stack].library)
                : new boolean[count];
        for (int stack = 0; stack < count; stack++) {
            follow(stack, stacks.caller(stack));
        }
        if (mixed) {
            completeCalls(seen.get().samples());
        }
        if (deviceWork || !mixed) {
            brief = new boolean[count];
            ofSmallOperators = new OperatorCalls.@Nullable Work[count];
        } else {
            brief = briefCalls(timeline, seen.get());
            findCallingLines(seen.get().samples());
            ofSmallOperators = OperatorCalls.of(seen.get(), this::userFrameNameId, this::modelsWork);
        }
        frameworks = packagesThatLeadToModel(seen);
    }

    /**
     * Returns the packages for which {@value #LEADING} of the samples show the model's work between their frames and the
     * innermost code; the program's own code ends the search. Fewer may be of a line before or after.
     */
    private Set<String> packagesThatLeadToModel(Lazy<SeenStacks> seenStacks) {
        if (frames.values().stream().noneMatch(Facts::ofOtherPackage)) {
            return Set.of();
        }
        long[] samples = seenStacks.get().samples();
        Map<String, Integer> all = new HashMap<>();
        Map<String, Integer> leading = new HashMap<>();
        for (int stack = 0; stack < innermost.length; stack++) {
            Set<String> around = samples[stack] == 0 ? Set.of() : otherPackagesAround(stack);
            if (!around.isEmpty()) {
                int seen = (int) samples[stack];
                boolean leads = ActivityClassifier.isModel(classify(stack));
                around.forEach(name -> all.merge(name, seen, Integer::sum));
                around.forEach(name -> leading.merge(name, leads ? seen : 0, Integer::sum));
            }
        }
        return all.keySet().stream()
                .filter(name -> leads(leading.getOrDefault(name, 0), all.getOrDefault(name, 0)))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static boolean leads(int leading, int all) {
        return leading >= LEADING * all && (leading > FEW || leading == all);
    }

    private Set<String> otherPackagesAround(int stack) {
        Set<String> packages = new HashSet<>();
        for (int at = stack; at >= 0 && !innermost[at].isOwn(program); at = stacks.caller(at)) {
            if (innermost[at].ofOtherPackage()) {
                packages.add(innermost[at].inPackage);
            }
        }
        return packages;
    }

    /**
     * Returns, by stack, the stack up to Python's innermost frame that is not the recorder's, if that is the program's
     * own code; otherwise -1. Compiled code, such as Inductor's, calls operators one by one too, but its lines are not
     * the program's.
     */
    private int[] lines() {
        int[] lines = new int[innermost.length];
        for (int stack = 0; stack < lines.length; stack++) {
            int caller = stacks.caller(stack);
            boolean code = innermost[stack].python && !innermost[stack].recorder();
            int line = innermost[stack].isOwn(program) ? stack : NONE;
            lines[stack] = code ? line : caller < 0 ? NONE : lines[caller];
        }
        return lines;
    }

    private boolean[] briefCalls(Timeline timeline, SeenStacks seen) {
        int[] lines = lines();
        return new BriefCalls(timeline, seen)
                .of(lines, stack -> callsModel(stack, lines[stack]), this::runsInterpreter, this::leadsToOperator);
    }

    /**
     * Returns whether a line of Python outside of the model's modules calls a library for models. Whatever the library
     * does there belongs to the call: an operator's own function, too, as when it only makes a view.
     */
    private boolean callsModel(int stack, int line) {
        return beneath[stack] == LedgerClass.CPU_MODEL_COMPUTE && waits[stack] == null && !isInModel(line);
    }

    /**
     * A sample may show no more than which library a line of Python calls. It computes the model if most of what was seen
     * of native code beneath that line does: NumPy calls a BLAS for a product of matrices.
     */
    private void completeCalls(long[] samples) {
        Map<Integer, long[]> lines = new HashMap<>();
        for (int stack = 0; stack < innermost.length; stack++) {
            boolean model = beneath[stack] == modelsClass();
            if (samples[stack] > 0 && (model || (beneath[stack] == LedgerClass.CPU_NATIVE && !isOnlyCalled(stack)))) {
                lines.computeIfAbsent(lineOf(stack), name -> new long[2])[model ? 0 : 1] += samples[stack];
            }
        }
        for (int stack = 0; stack < innermost.length; stack++) {
            long[] seen =
                    beneath[stack] == LedgerClass.CPU_NATIVE && isOnlyCalled(stack) ? lines.get(lineOf(stack)) : null;
            if (seen != null && seen[0] > seen[1] && (seen[0] > FEW || seen[1] == 0)) {
                beneath[stack] = modelsClass();
            }
        }
    }

    private LedgerClass modelsClass() {
        return deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.CPU_MODEL_COMPUTE;
    }

    private boolean isOnlyCalled(int stack) {
        return stacks.frame(stack).role() == Role.CALLED;
    }

    private int lineOf(int stack) {
        return stacks.frameNameId(itsPython(stack));
    }

    /**
     * Finds the lines of Python that call Python or a library for models. A native sample may be from the line before or
     * after, so a line must be seen in its calls for {@value #CALLING} of its samples.
     */
    private void findCallingLines(long[] samples) {
        long[] withCalls = samples.clone();
        Map<Integer, long[]> lines = new HashMap<>();
        for (int stack = innermost.length - 1; stack >= 0; stack--) {
            int caller = stacks.caller(stack);
            boolean calls = innermost[stack].python || beneath[stack] == LedgerClass.CPU_MODEL_COMPUTE;
            if (caller >= 0 && innermost[caller].python) {
                lines.computeIfAbsent(stacks.frameNameId(caller), name -> new long[2])[calls ? 1 : 0] +=
                        withCalls[stack];
            }
            if (innermost[stack].python) {
                lines.computeIfAbsent(stacks.frameNameId(stack), name -> new long[2])[0] += samples[stack];
            }
            if (caller >= 0) {
                withCalls[caller] += withCalls[stack];
            }
        }
        lines.forEach((name, seen) -> {
            if (seen[1] > 0 && seen[1] >= CALLING * (seen[0] + seen[1])) {
                callingLines.add(name);
            }
        });
    }

    /** Returns what a stack shows of a model's work; null if it shows no such work, or not which. */
    private OperatorCalls.@Nullable Work modelsWork(int stack) {
        Facts frame = innermost[stack];
        if (!isInModel(stack) || waits[stack] != null || domains[stack] != null || recording[stack]) {
            return null;
        }
        if (frame.nativeCode && !frame.is(FrameRole.INTERPRETER)) {
            boolean unknown = frame.kernel() || beneath[stack] != LedgerClass.CPU_MODEL_COMPUTE;
            return unknown ? null : leadsToOperator(stack) ? OperatorCalls.Work.CALLS : OperatorCalls.Work.COMPUTES;
        }
        int at = owner(stack);
        if (!innermost[at].framework && !innermost[at].forward) {
            return null;
        }
        boolean calls = callingLines.contains(stacks.frameNameId(at));
        if (!innermost[at].framework && !calls) {
            return OperatorCalls.Work.OWN_PYTHON;
        }
        boolean leads = innermost[at].framework && calls;
        return frame.nativeCode
                ? OperatorCalls.Work.CALLS
                : leads ? OperatorCalls.Work.LEADS : OperatorCalls.Work.PYTHON;
    }

    /** Returns whether native code leads to operators: its own, or what calls the C library from it. */
    private boolean leadsToOperator(int stack) {
        int at = stack;
        while (innermost[at].is(FrameRole.SUPPORT) && stacks.caller(at) >= 0) {
            at = stacks.caller(at);
        }
        return innermost[at].is(FrameRole.LEADS_TO_OPERATOR);
    }

    private boolean runsInterpreter(int stack) {
        boolean interpreter = !innermost[stack].nativeCode || innermost[stack].is(FrameRole.INTERPRETER);
        return interpreter && waits[stack] == null && !recording[stack];
    }

    /**
     * Returns whether a stack is in one of many calls of a library for models that cost more than they compute: see
     * {@link BriefCalls}. The code that calls them one by one is slow, not the library.
     */
    boolean isBriefCall(int stack) {
        return brief[stack];
    }

    /** Returns whether a stack is in native code that makes a tensor of numbers in Python's lists. */
    boolean readsList(int stack) {
        return readsList[stack];
    }

    /**
     * Returns whether a stack is in a model with small operators, and in code that leads to one or in the program's own
     * Python between them.
     */
    boolean leadsToSmallOperator(int stack) {
        return ofSmallOperators[stack] != null && ofSmallOperators[stack] != OperatorCalls.Work.COMPUTES;
    }

    private String programFile(boolean showsOwn) {
        boolean managed = frames.values().stream().anyMatch(frame -> frame.library.isEmpty() && frame.isOwn(""));
        if (managed || hasPythonFrames()) {
            return "";
        }
        for (int stack = 0; stack < innermost.length; stack++) {
            int caller = stacks.caller(stack);
            if (isCompiled(stack, caller)
                    || (isGenerated(stack, caller)
                            && !ownLibrary(innermost[caller]).isEmpty())) {
                return Frame.GENERATED;
            }
        }
        return showsOwn ? "" : outermost(SampledStacks::ownLibrary);
    }

    private boolean isGenerated(int stack, int caller) {
        return caller >= 0 && stacks.frame(stack).role() == Role.GENERATED;
    }

    /** Returns whether the innermost frame is code that an engine compiled of the program, or its bytecode. */
    private boolean isCompiled(int stack, int caller) {
        Facts frame = innermost[stack];
        return frame.is(FrameRole.RUNTIME)
                ? frame.is(FrameRole.BYTECODE)
                : isGenerated(stack, caller) && innermost[caller].is(FrameRole.RUNTIME);
    }

    private static String ownLibrary(Facts frame) {
        boolean others = frame.kernel()
                || frame.is(FrameRole.SUPPORT)
                || frame.is(FrameRole.RUNTIME)
                || FramePatterns.ofLibrary(frame.library) != null;
        return others ? "" : frame.library;
    }

    /** Returns the package or library in which most stacks begin, empty when none begins in one. */
    private String outermost(Function<Facts, String> of) {
        Map<String, Integer> counts = new TreeMap<>();
        String[] begins = new String[innermost.length];
        for (int stack = 0; stack < begins.length; stack++) {
            int caller = stacks.caller(stack);
            String outside = caller < 0 ? "" : begins[caller];
            begins[stack] = outside.isEmpty() ? of.apply(innermost[stack]) : outside;
            if (!begins[stack].isEmpty()) {
                counts.merge(begins[stack], 1, Integer::sum);
            }
        }
        return Order.largest(counts).orElse("");
    }

    private void follow(int stack, int caller) {
        Facts frame = innermost[stack];
        boolean called = caller >= 0;
        boolean byRecorder = called && innermost[caller].recorder();
        boolean wraps =
                frame.recorder() && frame.is(FrameRole.WRAPPER) && (!byRecorder || frame.is(FrameRole.ALWAYS_WRAPPER));
        recording[stack] = frame.recorder() ? !wraps : frame.nativeCode && called && recording[caller];
        inRange[stack] = wraps || (called && inRange[caller]);
        inNativeRange[stack] =
                wraps ? frame.is(FrameRole.WRAPS_RANGE) : frame.nativeCode && called && inNativeRange[caller];
        inPython[stack] = frame.python || (called && inPython[caller]);
        readsList[stack] = frame.nativeCode && (frame.is(FrameRole.READS_LISTS) || (called && readsList[caller]));
        runsModel[stack] = frame.is(FrameRole.RUNS_MODEL) || (called && runsModel[caller] && !frame.isOwn(program));
        beneath[stack] = frame.library.isEmpty() ? null : beneath(stack, caller);
        LedgerClass around = frame.plumbing && called ? waits[caller] : null;
        yielding[stack] = frame.is(FrameRole.YIELDS) || (frame.nativeCode && called && yielding[caller]);
        boolean conditional = around != null && stacks.frame(stack).role() == Role.TAKES_LOCK;
        // Conditions and queues of the standard library are built on locks; what they wait for is not a lock.
        waits[stack] = frame.waiting == null || conditional ? around : frame.waiting;
        boolean decides = frame.domain != null || !called || frame.is(FrameRole.CALLS_MODULE);
        domains[stack] =
                frame.recorder() ? (called ? domains[caller] : null) : decides ? frame.domain : domains[caller];
        boolean loads = frame.domain == LedgerClass.FRAMEWORK_COMPILE_LOAD && called && inRange[caller];
        loadsInRange[stack] = !wraps && (decides ? loads : loadsInRange[caller]);
        models[stack] =
                frame.is(FrameRole.CALLS_MODEL) || (called && (frame.nativeCode || frame.recorder()) && models[caller]);
        boolean owns = !frame.nativeCode && !frame.standardLibrary && !frame.recorder();
        boolean inherits =
                called && !frame.is(FrameRole.STARTS_PROCESS); // The line that made a fork says nothing of its work.
        owners[stack] = owns ? stack : inherits ? owners[caller] : NONE;
        boolean ofModule = called && innermost[caller].is(FrameRole.CALLS_MODULE);
        inModule[stack] = ofModule || (called && inModule[caller]);
        inHook[stack] = ofModule ? frame.isOwn(program) && !frame.forward : called && inHook[caller];
        boolean own = programFile.isEmpty()
                ? frame.isOwn(program)
                : frame.library.equals(programFile)
                        && (!called || beneath[caller] == null || isCompiled(stack, caller));
        // The line that started an event loop says nothing of its tasks.
        ownFrames[stack] = own || (inherits && ownFrames[caller] && !FrameRole.isCalledByLoop(stacks, stack));
        boolean better = own || (!frame.plumbing && !ownFrames[stack]);
        userFrames[stack] = better ? stack : inherits ? userFrames[caller] : NONE;
    }

    /**
     * The class of a native frame: kernel code by the reason for entering the kernel, a known library by its purpose,
     * other code by its caller.
     */
    private @Nullable LedgerClass beneath(int stack, int caller) {
        Facts frame = innermost[stack];
        boolean called = caller >= 0;
        if (stale[stack]) {
            return null;
        }
        if (frame.kernel()) {
            boolean entered = called && innermost[caller].kernel();
            LedgerClass work = entered ? beneath[caller] : FramePatterns.kernelWork(stacks.frame(stack));
            return work == null ? LedgerClass.SYSTEM_OTHER : work;
        }
        if (frame.is(FrameRole.COLLECTS_GARBAGE)) {
            return LedgerClass.WAIT_GC;
        }
        if (isCompiled(stack, caller)) {
            return null;
        }
        if (frame.is(FrameRole.INTERPRETER)) {
            boolean python =
                    frame.is(FrameRole.BYTECODE); // Otherwise the interpreter serves the C function that it calls.
            return called && innermost[caller].nativeCode && !python ? beneath[caller] : null;
        }
        LedgerClass purpose = FramePatterns.purpose(frame.roles);
        LedgerClass ofCaller = runsModel[stack] ? modelsClass() : LedgerClass.CPU_NATIVE;
        if (otherModels && frame.is(FrameRole.WHEELS_BLAS)) {
            return ofCaller;
        }
        if (purpose != null && !frame.is(FrameRole.FINDS_VARIABLE)) {
            return purpose == LedgerClass.CPU_MODEL_COMPUTE ? modelsClass() : purpose;
        }
        if (frame.is(FrameRole.RUNTIME)) {
            boolean collects = called && beneath[caller] == LedgerClass.WAIT_GC;
            return collects ? LedgerClass.WAIT_GC : LedgerClass.CPU_NATIVE;
        }
        boolean foreign = called
                && (beneath[caller] != null || innermost[caller].is(FrameRole.INTERPRETER))
                && frame.is(FrameRole.SUPPORT);
        boolean ofProgram = !inPython[stack]; // The code of a native program and of its libraries.
        return foreign ? beneath[caller] : ofProgram ? null : ofCaller;
    }

    /**
     * Returns whether the innermost code is in support libraries, such as the C library, and no native frame shows who
     * called them.
     */
    boolean isSupport(int stack) {
        int at = stack;
        while (at >= 0 && innermost[at].is(FrameRole.SUPPORT)) {
            at = stacks.caller(at);
        }
        return at != stack && (at < 0 || innermost[at].library.isEmpty());
    }

    LedgerClass classify(int stack) {
        LedgerClass wait = waits[stack];
        return wait == null ? classifyRunning(stack) : wait;
    }

    /** Returns the class of a stack whose thread is known to be on a CPU. */
    LedgerClass classifyRunning(int stack) {
        LedgerClass domain = domains[stack];
        if (recording[stack]) {
            return LedgerClass.PROFILER;
        }
        if (yielding[stack] && domain == null) {
            return LedgerClass.WAIT_UNKNOWN;
        }
        if (beneath[stack] == LedgerClass.WAIT_GC || beneath[stack] == LedgerClass.SYSTEM_PROCESS) {
            return beneath[stack]; // Whatever for: a loader's start of its workers is not the preparing of a batch.
        }
        if (domain != null) {
            return domain;
        }
        if (leadsToSmallOperator(stack)) {
            return ofSmallOperators[stack] == OperatorCalls.Work.OWN_PYTHON
                    ? LedgerClass.CPU_PYTHON
                    : LedgerClass.FRAMEWORK_DISPATCH;
        }
        LedgerClass under = brief[stack] ? null : beneath[stack];
        if (under != null && !(isInModel(stack) && isSupport(stack)) && !(inModule[stack] && isMemory(under))) {
            return under;
        }
        int at = owner(stack);
        Facts owner = innermost[at];
        boolean model = models[stack] && !brief[stack];
        if (model || (inModule[at] && (owner.framework || owner.forward))) {
            return modelsClass();
        }
        if (!owner.python) {
            boolean interpreter =
                    // The interpreter without a Python frame is starting or ending.
                    innermost[stack].is(FrameRole.INTERPRETER);
            return interpreter ? LedgerClass.CPU_PYTHON : LedgerClass.CPU_CODE;
        }
        if (!owner.framework || (owner.isOwn(program) && !owner.knownFramework)) {
            return LedgerClass.CPU_PYTHON;
        }
        boolean leads = owner.knownFramework || frameworks.contains(owner.inPackage);
        return leads ? LedgerClass.FRAMEWORK_PYTHON : LedgerClass.LIBRARY_PYTHON;
    }

    /** Returns whether a library function whose range is recorded imports or compiles something, say with its first call. */
    boolean loadsInRange(int stack) {
        return loadsInRange[stack];
    }

    /** Returns whether a stack is in a function of native code whose range is recorded, and in no Python that it calls. */
    public boolean isInNativeRange(int stack) {
        return inNativeRange[stack];
    }

    /**
     * Whether the kernel allocates or frees memory. A module's forward pass causes this, because each operator
     * allocates its result.
     */
    private static boolean isMemory(LedgerClass work) {
        return work == LedgerClass.SYSTEM_PAGE_FAULT || work == LedgerClass.SYSTEM_MEMORY;
    }

    /** Returns the wait that a stack shows, null for none. */
    @Nullable
    LedgerClass waiting(int stack) {
        return waits[stack];
    }

    /**
     * Returns whether a thread of a program without Python was going to sleep for a lock or a condition, on its way
     * through the C library and the kernel.
     */
    boolean goesToLock(int stack) {
        int at = stack;
        boolean found = false;
        while (at >= 0 && !found && (innermost[at].kernel() || innermost[at].is(FrameRole.SUPPORT))) {
            found = innermost[at].is(FrameRole.GOES_TO_LOCK);
            at = stacks.caller(at);
        }
        return found && !isPython(stack);
    }

    /** Returns whether a blocked thread with this stack waits for work. */
    boolean takesWork(int stack) {
        int caller = stacks.caller(stack);
        return innermost[stack].is(FrameRole.TAKES_WORK)
                || (innermost[stack].nativeCode && caller >= 0 && innermost[caller].is(FrameRole.TAKES_WORK));
    }

    /** Returns whether a pool's loop waits in this stack until it gets an item. */
    boolean awaitsWork(int stack) {
        int at = stack;
        while (at >= 0 && !innermost[at].is(FrameRole.GETS_WORK)) {
            at = stacks.caller(at);
        }
        return at >= 0 || takesWork(stack);
    }

    /** Returns whether a frame of a role lies between the innermost own code of a stack and its end. */
    boolean isBeneathOwn(int stack, FrameRole role) {
        int at = stack;
        while (at >= 0 && !isOwnCode(at) && !innermost[at].is(role)) {
            at = stacks.caller(at);
        }
        return at >= 0 && !isOwnCode(at);
    }

    /** Returns whether a recorded function is the program's own code. */
    boolean isOwnFunction(FrameRoles function) {
        return Facts.of(function.frame()).isOwn(program);
    }

    /**
     * Returns whether a stack leads through a model's call; native code of its library may as well serve other calls. A
     * hook of the program's own is not the model, whatever it does with what the model computes.
     */
    public boolean isInModelCall(int stack) {
        return isInModel(itsPython(stack)) && !inHook[stack];
    }

    /** Returns whether the innermost frame of a stack is a library's function, rather than a helper of the language. */
    public boolean isLibraryFunction(int stack) {
        Facts frame = innermost[stack];
        boolean leads = frame.is(FrameRole.RUNTIME) && (frame.is(FrameRole.PLUMBING) || frame.is(FrameRole.BYTECODE));
        boolean code = !isOwnCode(stack) && !frame.recorder() && !frame.kernel() && !leads;
        return code && (frame.python || !inPython[stack]);
    }

    /** Returns whether what the innermost own code of a stack calls is an installed package's, and no framework's. */
    boolean callsPackage(int stack) {
        int called = stack;
        for (int at = stack; at >= 0 && !isOwnCode(at); at = stacks.caller(at)) {
            called = innermost[at].recorder() ? called : at;
        }
        Facts first = innermost[called];
        return first.installed && first.python && !first.knownFramework;
    }

    /**
     * Returns whether a blocked thread with this stack waits for another process: it is in the library that connects
     * processes.
     */
    boolean waitsForProcess(int stack) {
        int at = stack;
        while (at >= 0 && innermost[at].plumbing && !innermost[at].is(FrameRole.TO_PROCESS)) {
            at = stacks.caller(at);
        }
        return at >= 0 && innermost[at].is(FrameRole.TO_PROCESS);
    }

    /** Returns whether Python's innermost frame is an installed library's that is not the program itself. */
    boolean isInLibrary(int stack) {
        Facts python = innermost[itsPython(stack)];
        return python.python && python.installed && !python.isOwn(program);
    }

    /**
     * Returns the functions of a stack without the thread's start function and without native and standard-library
     * ones. A pool thread has its loop in its start function and waits for work there.
     */
    Set<String> functionsOfWork(int stack) {
        return functionsOfWork.computeIfAbsent(stack, this::findFunctionsOfWork);
    }

    private Set<String> findFunctionsOfWork(int stack) {
        Set<String> functions = new LinkedHashSet<>();
        String outermost = "";
        for (int at = stack; at >= 0; at = stacks.caller(at)) {
            Facts frame = innermost[at];
            if (!frame.is(FrameRole.STARTS_THREAD) && !frame.nativeCode) {
                outermost = FramePatterns.function(stacks.frame(at));
                if (!frame.standardLibrary && !frame.recorder()) {
                    functions.add(outermost);
                }
            }
        }
        functions.remove(outermost);
        return functions;
    }

    /** Returns whether the innermost frame that is not native is Python's. */
    boolean isPython(int stack) {
        return innermost[owner(stack)].python;
    }

    /**
     * Returns the stack up to the innermost frame that is neither native nor a library's; without such a frame, up to
     * Python's innermost one.
     */
    private int owner(int stack) {
        return owners[stack] == NONE ? itsPython(stack) : owners[stack];
    }

    private int itsPython(int stack) {
        int at = stack;
        while (stacks.caller(at) >= 0 && (innermost[at].recorder() || (innermost[at].nativeCode && inPython[at]))) {
            at = stacks.caller(at);
        }
        return at;
    }

    /** Returns the name id of the innermost frame in which a waiting thread may be. */
    int waitingNameId(int stack) {
        return stacks.frameNameId(waitingAt(stack));
    }

    /**
     * Returns the stack up to the innermost frame in which a waiting thread may be. Native frames below Python were
     * sampled on a CPU, so they are skipped, except for functions that Python calls and functions known to wait.
     */
    private int waitingAt(int stack) {
        int at = stack;
        while (stacks.caller(at) >= 0
                && innermost[at].nativeCode
                && inPython[at]
                && (innermost[at].waiting == null || stacks.frame(at).role() == Role.TAKES_LOCK)
                && stacks.frame(at).role() != Role.CALLED) {
            at = stacks.caller(at);
        }
        return at;
    }

    /**
     * Returns whether a thread that waits with this stack is in the program's own Python, and in no library that it
     * calls.
     */
    boolean waitsInUserCode(int stack) {
        Facts frame = innermost[waitingAt(stack)];
        return frame.python && !frame.plumbing && !frame.framework;
    }

    /** Returns whether a stack leads through the model's code. */
    boolean isInModel(int stack) {
        return models[stack] || inModule[stack];
    }

    /** Returns whether a native thread worked, outside of the kernel, when its stack was taken. */
    boolean sawNativeWork(int stack) {
        Facts frame = innermost[stack];
        return !inPython[stack] && !frame.library.isEmpty() && !frame.kernel() && waits[stack] == null;
    }

    /** Returns whether a stack is of a goroutine. */
    boolean isGoroutine(int stack) {
        int outermost = stack;
        while (stacks.caller(outermost) >= 0) {
            outermost = stacks.caller(outermost);
        }
        return innermost[outermost].is(FrameRole.GOROUTINE);
    }

    boolean hasPythonFrames() {
        return frames.values().stream().anyMatch(Facts::python);
    }

    boolean hasNativeFrames() {
        return frames.values().stream().anyMatch(frame -> !frame.library.isEmpty() || frame.nativeCode);
    }

    /** Returns whether frames of native code are so few that they are Python's without a line, as of generated code. */
    boolean hasHardlyNativeFrames() {
        long natives = frames.values().stream()
                .filter(frame -> !frame.library.isEmpty() || frame.nativeCode)
                .count();
        return HARDLY * natives < frames.size();
    }

    /** Returns whether any frame of a stack is code of the program itself, and not of a library. */
    public boolean hasOwnCode(int stack) {
        return ownFrames[stack];
    }

    /** Returns whether the innermost frame of a stack is code of the program itself. */
    public boolean isOwnCode(int stack) {
        return ownFrames[stack] && userFrames[stack] == stack;
    }

    /**
     * Returns the name id of the innermost frame of the user's own code; without such a frame, of the innermost one that
     * is not the standard library's.
     */
    int userFrameNameId(int stack) {
        return stacks.frameNameId(userFrames[stack] == NONE ? owner(stack) : userFrames[stack]);
    }
}

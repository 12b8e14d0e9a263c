package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Stacks;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides the class of the time in which a stack was sampled, and the line that a programmer would look at.
 *
 * <p>From the innermost frame outwards: a wait counts when only library code lies inside it; then the first frame whose name stands for
 * tokenization, preprocessing, serialisation, loading or the profiler; then a call into the model's native code; else whose code it is:
 * what the native code beneath Python is for, where that was recorded; then the first frame that is neither native nor of the standard library.
 * A wrapper of the probe is transparent: its time is that of the function which it wraps. A caller's id is smaller than those of what it calls, so
 * that every answer follows from that of the caller in one pass, however deep stacks are.
 *
 * <p>A program may itself be installed, such as a server that a console script starts. Where no frame at all is of code outside of packages,
 * the program is the package that most stacks begin in, and its lines are the user's own.
 */
final class SampledStacks {
    private static final int NONE = -1;

    private final Stacks stacks;
    private final boolean deviceWork;
    private final Map<Integer, Frame> frames = new HashMap<>();
    private final Frame[] innermost;
    private final @Nullable LedgerClass[] waits;
    private final @Nullable LedgerClass[] domains;
    private final boolean[] models;
    private final int[] owners;
    private final int[] userFrames;
    private final boolean[] inModule;
    private final boolean[] ownFrames;

    /** By stack: whether the innermost frame is the recorder's own work, and not that of a function which it wraps. */
    private final boolean[] recording;

    /**
     * By stack: what the native code beneath Python's innermost frame is for; null if the interpreter was at work, or no native stack was
     * taken.
     */
    private final @Nullable LedgerClass[] beneath;

    private final boolean[] inPython;

    private final Map<Integer, Set<String>> functionsOfWork = new HashMap<>();

    /** The package that is the program, empty where the program is not installed. */
    private final String program;

    /** What the name of a frame says. */
    private record Frame(
            @Nullable LedgerClass waiting,
            @Nullable LedgerClass domain,
            boolean model,
            boolean nativeCode,
            boolean standardLibrary,
            boolean installed,
            String inPackage,
            boolean framework,
            boolean python,
            boolean plumbing,
            boolean moduleCall,
            boolean forward,
            boolean recorder,
            boolean takesWork,
            boolean startsThread,
            String library) {
        static Frame of(String name) {
            String shortName = FramePatterns.shortened(name);
            boolean nativeCode = FramePatterns.isNative(name);
            boolean standardLibrary = FramePatterns.isStandardLibrary(name);
            return new Frame(
                    FramePatterns.waiting(shortName),
                    FramePatterns.domain(name),
                    FramePatterns.isModel(shortName),
                    nativeCode,
                    standardLibrary,
                    FramePatterns.isInstalled(name),
                    FramePatterns.packageOf(name),
                    FramePatterns.isFramework(name),
                    FramePatterns.isPython(name),
                    nativeCode
                            || standardLibrary
                            || NamePatterns.isPlumbing(shortName)
                            || FramePatterns.isRecorder(name),
                    FramePatterns.isModuleCall(shortName),
                    FramePatterns.isForward(name),
                    FramePatterns.isRecorder(name),
                    FramePatterns.takesWork(name),
                    FramePatterns.startsThread(name),
                    nativeCode ? NativePatterns.library(name) : "");
        }

        boolean kernel() {
            return NativePatterns.isKernel(library);
        }

        boolean isOwn(String program) {
            boolean own = program.isEmpty() ? !framework && !installed : inPackage.equals(program);
            return own && !plumbing;
        }
    }

    SampledStacks(Stacks stacks, boolean deviceWork) {
        this.stacks = stacks;
        this.deviceWork = deviceWork;
        int count = stacks.count();
        innermost = new Frame[count];
        waits = new LedgerClass[count];
        domains = new LedgerClass[count];
        models = new boolean[count];
        owners = new int[count];
        userFrames = new int[count];
        inModule = new boolean[count];
        ownFrames = new boolean[count];
        recording = new boolean[count];
        inPython = new boolean[count];
        beneath = new LedgerClass[count];
        Arrays.fill(owners, NONE);
        Arrays.fill(userFrames, NONE);
        for (int stack = 0; stack < count; stack++) {
            String name = stacks.frame(stack);
            innermost[stack] = frames.computeIfAbsent(stacks.frameNameId(stack), id -> Frame.of(name));
        }
        program = frames.values().stream().anyMatch(frame -> frame.isOwn("")) ? "" : outermostPackage();
        for (int stack = 0; stack < count; stack++) {
            follow(stack, stacks.caller(stack));
        }
    }

    /** Returns the package in which most stacks begin, empty when none begins in one. */
    private String outermostPackage() {
        Map<String, Integer> counts = new TreeMap<>();
        String[] begins = new String[innermost.length];
        for (int stack = 0; stack < begins.length; stack++) {
            int caller = stacks.caller(stack);
            String outside = caller < 0 ? "" : begins[caller];
            begins[stack] = outside.isEmpty() && !innermost[stack].plumbing ? innermost[stack].inPackage : outside;
            if (!begins[stack].isEmpty()) {
                counts.merge(begins[stack], 1, Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .max(Map.Entry.<String, Integer>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .map(Map.Entry::getKey)
                .orElse("");
    }

    private void follow(int stack, int caller) {
        Frame frame = innermost[stack];
        boolean called = caller >= 0;
        boolean byRecorder = called && innermost[caller].recorder;
        recording[stack] = frame.recorder
                ? !FramePatterns.isWrapper(stacks.frame(stack), byRecorder)
                : frame.nativeCode && called && recording[caller];
        inPython[stack] = frame.python || (called && inPython[caller]);
        beneath[stack] = frame.library.isEmpty() ? null : beneath(stack, caller);
        waits[stack] = frame.waiting != null || !frame.plumbing || !called ? frame.waiting : waits[caller];
        boolean decides = frame.domain != null || !called || frame.moduleCall;
        domains[stack] = frame.recorder ? (called ? domains[caller] : null) : decides ? frame.domain : domains[caller];
        models[stack] = frame.model || (called && (frame.nativeCode || frame.recorder) && models[caller]);
        boolean owns = !frame.nativeCode && !frame.standardLibrary && !frame.recorder;
        owners[stack] = owns ? stack : called ? owners[caller] : NONE;
        inModule[stack] = called && (innermost[caller].moduleCall || inModule[caller]);
        boolean own = frame.isOwn(program);
        ownFrames[stack] = own || (called && ownFrames[caller]);
        boolean better = own || (!frame.plumbing && !ownFrames[stack]);
        userFrames[stack] = better ? stack : called ? userFrames[caller] : NONE;
    }

    /** What a native frame adds to what its caller is for: the kernel by why it was entered, libraries by what they are, others by who calls them. */
    private @Nullable LedgerClass beneath(int stack, int caller) {
        Frame frame = innermost[stack];
        boolean called = caller >= 0;
        if (frame.kernel()) {
            boolean entered = called && innermost[caller].kernel();
            LedgerClass work = entered ? beneath[caller] : NativePatterns.kernelWork(stacks.frame(stack));
            return work == null ? LedgerClass.KERNEL_OTHER : work;
        }
        if (NativePatterns.isInterpreter(frame.library)) {
            boolean python =
                    NativePatterns.isBytecodeLoop(stacks.frame(stack)); // Else it works for the C that is called.
            return called && innermost[caller].nativeCode && !python ? beneath[caller] : null;
        }
        LedgerClass purpose = NativePatterns.purpose(frame.library);
        if (purpose != null) {
            return purpose == LedgerClass.CPU_MODEL_COMPUTE && deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : purpose;
        }
        if (!inPython[stack]) {
            return null; // A native program's own code, and that of its libraries.
        }
        boolean foreign = called
                && (beneath[caller] != null || NativePatterns.isInterpreter(innermost[caller].library))
                && NativePatterns.isSupport(frame.library);
        return foreign ? beneath[caller] : LedgerClass.CPU_NATIVE;
    }

    /** Returns whether the innermost code is a library's that works for whoever calls it, and no native frame says for whom. */
    boolean isSupport(int stack) {
        int caller = stacks.caller(stack);
        return NativePatterns.isSupport(innermost[stack].library)
                && (caller < 0 || innermost[caller].library.isEmpty());
    }

    /** Returns the class of a stack. */
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
        if (domain != null) {
            return domain;
        }
        LedgerClass under = beneath[stack];
        if (under != null && !(isInModel(stack) && (isSupport(stack) || isMemory(under)))) {
            return under;
        }
        int at = owner(stack);
        Frame owner = innermost[at];
        if (models[stack] || (inModule[at] && (owner.framework || owner.forward))) {
            return deviceWork ? LedgerClass.FRAMEWORK_DISPATCH : LedgerClass.CPU_MODEL_COMPUTE;
        }
        if (!owner.python) {
            boolean interpreter =
                    NativePatterns.isInterpreter(innermost[stack].library); // Without a frame: at its start or end.
            return interpreter ? LedgerClass.CPU_PYTHON : LedgerClass.CPU_CODE;
        }
        return owner.framework ? LedgerClass.FRAMEWORK_PYTHON : LedgerClass.CPU_PYTHON;
    }

    /** What the kernel does to give memory, and to take it: a model's, whose results are new memory at each operator. */
    private static boolean isMemory(LedgerClass work) {
        return work == LedgerClass.KERNEL_PAGE_FAULT || work == LedgerClass.KERNEL_MEMORY;
    }

    /** Returns what a stack is seen to wait for, null for one that does not. */
    @Nullable
    LedgerClass waiting(int stack) {
        return waits[stack];
    }

    /** Returns whether a stack, of a thread that is blocked, is in what waits for work. */
    boolean takesWork(int stack) {
        int caller = stacks.caller(stack);
        return innermost[stack].takesWork
                || (innermost[stack].nativeCode && caller >= 0 && innermost[caller].takesWork);
    }

    /**
     * Returns the functions of a stack, those of the standard library and of native code left out, within the one that the thread was started
     * with: in that one, a thread of a pool has its loop, and waits for work.
     */
    Set<String> functionsOfWork(int stack) {
        return functionsOfWork.computeIfAbsent(stack, this::findFunctionsOfWork);
    }

    private Set<String> findFunctionsOfWork(int stack) {
        Set<String> functions = new LinkedHashSet<>();
        String outermost = "";
        for (int at = stack; at >= 0; at = stacks.caller(at)) {
            Frame frame = innermost[at];
            if (!frame.startsThread && !frame.nativeCode) {
                outermost = FramePatterns.function(stacks.frame(at));
                if (!frame.standardLibrary && !frame.recorder) {
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

    /** Returns the stack of the innermost code that is neither native nor a library's, or of Python's innermost frame where none is. */
    private int owner(int stack) {
        return owners[stack] == NONE ? itsPython(stack) : owners[stack];
    }

    private int itsPython(int stack) {
        int at = stack;
        while (stacks.caller(at) >= 0 && (innermost[at].recorder || (innermost[at].nativeCode && inPython[at]))) {
            at = stacks.caller(at);
        }
        return at;
    }

    /**
     * Returns the name id of the innermost frame that a thread which waits may be in: native frames beneath Python are sampled on a CPU, except for
     * what Python calls and for what is known to wait.
     */
    int waitingNameId(int stack) {
        int at = stack;
        while (stacks.caller(at) >= 0
                && innermost[at].nativeCode
                && inPython[at]
                && innermost[at].waiting == null
                && !NativePatterns.isCalled(stacks.frame(at))) {
            at = stacks.caller(at);
        }
        return stacks.frameNameId(at);
    }

    /** Returns whether the innermost frame is the program's own Python. */
    boolean isUserCode(int stack) {
        Frame frame = innermost[stack];
        return frame.python && !frame.plumbing && !frame.framework;
    }

    /** Returns whether a stack leads through the model's code. */
    boolean isInModel(int stack) {
        return models[stack] || inModule[stack];
    }

    boolean hasPythonFrames() {
        return frames.values().stream().anyMatch(Frame::python);
    }

    boolean hasNativeFrames() {
        return frames.values().stream().anyMatch(Frame::nativeCode);
    }

    /** Returns whether any frame of a stack is code of the program itself, and not of a library. */
    boolean hasOwnCode(int stack) {
        return ownFrames[stack];
    }

    /** Returns the name id of the frame of the innermost code that is the user's own, or of the innermost frame where none is. */
    int userFrameNameId(int stack) {
        return stacks.frameNameId(userFrames[stack] == NONE ? itsPython(stack) : userFrames[stack]);
    }
}

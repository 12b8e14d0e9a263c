package io.inferscope.collectors.python;

import io.inferscope.collectors.host.NativeSamples;
import io.inferscope.collectors.os.PerfRing;
import io.inferscope.collectors.symbols.AddressSpace;
import io.inferscope.collectors.symbols.AddressSpace.Code;
import io.inferscope.collectors.symbols.KernelSymbols;
import io.inferscope.collectors.symbols.SourceLines;
import io.inferscope.collectors.symbols.SourceLines.Line;
import io.inferscope.collectors.symbols.SymbolTables;
import io.inferscope.timeline.Frame;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Extends Python stacks by native frames, below the innermost Python frame.
 *
 * <pre>
 *   caller, Python     a.py(7): step
 *                      at::native::add [libtorch_cpu.so]     callers, as far as frame pointers lead, without the interpreter
 *                      __memset_avx2 [libc.so.6]             the instruction of the program
 *                      exc_page_fault [kernel]               the reason for the kernel's work
 *   innermost          clear_page_erms [kernel]              the kernel's work
 * </pre>
 *
 * If the program was in the interpreter, the interpreter is the only native frame. During a call of a C function by the
 * Python frame, the interpreter and helper libraries work for that function, so {@code called dumps [_pickle.so]} is
 * inserted between, or {@code lock [python]} if it takes a lock of the interpreter's own. The bytecode loop's time is the
 * interpreter's own.
 */
final class NativeStacks {
    /** Most native callers kept. Native stacks are few, but each is stored under every Python stack. */
    private static final int MAX_CALLERS = 4;

    /** Most callers kept in a program without Python, whose own code may be far above what it calls. */
    private static final int MAX_CALLERS_OF_PROGRAM = 48;

    /**
     * Most samples whose names are read after the recording: those of some 20 s of a thread that is always on a CPU.
     * They take 2 MB.
     */
    private static final int MAX_HELD = 1 << 11;

    private static final long LONGEST_WAIT_NS = 3_000_000_000L;

    private static final String UNNAMED = "[unknown]";
    private static final String JVM = "/libjvm.so";

    /** Entry frames of the kernel, which carry no information: entry_64.S, entry_64_fred.S, entry.S of arm64. */
    private static final Pattern WAY_IN = Pattern.compile(
            "|entry_.*|asm_.*|do_syscall_64|x64_sys_call|el0.*|invoke_syscall.*|do_el0_svc|el0_svc.*|ret_from_fork.*|common_interrupt_return|swapgs_.*|(syscall_|irqentry_)?exit_to_user_mode.*|task_work_run");

    /**
     * OperatingSystem functions that put the thread on a CPU again after another one, or return from an interrupt. The clock of a
     * thread that was preempted often expires there. Without a system call around them, they are not the thread's work.
     */
    private static final Pattern PREEMPTED = Pattern.compile(
            "(__)?schedule|preempt_schedule.*|finish_task_switch.*|do_notify_resume|irqentry_.*|(prepare_)?exit_to_user(mode|_mode).*|ret_to_user.*");

    /** OperatingSystem functions for reads and writes of non-files, which show the cause better than the system call. */
    private static final Pattern NO_FILE =
            Pattern.compile("(anon_)?pipe_(read|write)|sock_(read|write)_iter|eventfd_(read|write)");

    private static final Pattern HELPER = Pattern.compile("/lib(c|m|stdc\\+\\+|gcc_s|mvec)([-.][^/]*)?\\.so[^/]*$");

    /** Functions of the dynamic linker that find a variable of a thread, for the code that uses it. */
    private static final Pattern FINDS_VARIABLE = Pattern.compile("__tls_get_addr.*|_dl_tlsdesc_.*");

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][\\w.]*+");

    /** The frame for the interpreter's code that takes a lock: docs/python-stacks.md. */
    private static final Code TAKES_LOCK = new Code(Frame.LOCK, Frame.INTERPRETER);

    /** The loop that executes bytecode: ceval.c, and the functions that 3.14 makes of it, one for each instruction. */
    private static final Pattern BYTECODE = Pattern.compile("_PyEval_EvalFrame\\w*(\\..*)?|_TAIL_CALL_.*");

    private enum Role {
        INTERPRETER,
        /**
         * A library whose time counts as its callers', or code that a library generated. Such functions keep no frame
         * pointers, and many do not even push one.
         */
        HELPER,
        OTHER
    }

    /** Elements of a chain. */
    private record Range(int from, int end) {}

    private final StackTable stacks;
    private final Map<Integer, AddressSpace> spaces = new HashMap<>();
    private final SymbolTables tables = new SymbolTables();
    private final NativeModules modules;
    private final Map<Long, Integer> kernelFrames = new HashMap<>();
    private final Map<Long, Boolean> wayIn = new HashMap<>();
    private final Map<Long, Boolean> noFile = new HashMap<>();
    private final Map<Long, Boolean> preempted = new HashMap<>();
    private final Map<Code, Integer> frames = new HashMap<>();

    /** By stack that ends with a {@link Frame#CALLED} frame: the stack without that frame. */
    private final Map<Integer, Integer> callers = new HashMap<>();

    /** Those of them whose called function lies in the interpreter's own file. */
    private final Set<Integer> parts = new HashSet<>();

    /** By name of a called function: the function of its frame. */
    private final Map<String, String> calls = new HashMap<>();

    private final Map<Code, Boolean> bytecode = new HashMap<>();
    private final Map<Code, Boolean> helpers = new HashMap<>();

    /** Role in a stack, by path of a file. Cached, so that no pattern is matched at each sample. */
    private final Map<String, Role> roles = new HashMap<>();

    private final Path kallsyms;

    private @Nullable Thread kernelReader;
    private volatile KernelSymbols system = KernelSymbols.NONE;

    /** Samples whose native frames wait for names: the id of the stack of each, and what it is based on. */
    private final List<Held> held = new ArrayList<>();

    private final NativeSamples heldSamples = new NativeSamples();
    private boolean named;

    NativeStacks(StackTable stacks) {
        this(stacks, Path.of("/proc/kallsyms"));
    }

    /** {@code kallsyms}: the file that lists the kernel's functions. */
    NativeStacks(StackTable stacks, Path kallsyms) {
        this.stacks = stacks;
        this.kallsyms = kallsyms;
        modules = new NativeModules(stacks::note, tables);
    }

    /** Reads the kernel's functions in the background: it takes a tenth of a second, which would block rounds. */
    private void readKernel() {
        if (kernelReader == null) {
            Thread reader = new Thread(() -> system = KernelSymbols.read(kallsyms), "inferscope-kernel-symbols");
            reader.setDaemon(true);
            reader.start();
            kernelReader = reader;
        }
    }

    /** A sample below a Python stack, in the code of a process, which a stack without its native frames stands for. */
    private record Held(int stack, int under, AddressSpace space) {}

    /**
     * Returns the id of a Python stack extended by a native sample, whose native frames may be stored later, at the
     * latest by {@link #finish}: reading the names of PyTorch and the kernel takes a program that lasts some seconds a
     * hundredth of its time, so a recording of up to {@link #MAX_HELD} samples reads them when it has ended.
     */
    int later(int pythonStack, NativeSamples samples, int sample) {
        AddressSpace space = space(samples.pid(sample));
        if (named) {
            return upon(space, pythonStack, samples, sample, null);
        }
        int stack = stacks.unfinished(pythonStack);
        if (stack == pythonStack) {
            return stack;
        }
        long before = 0;
        for (int at = samples.from(sample); at < samples.end(sample) && before != PerfRing.STACK_MARK; at++) {
            space.keep(samples.element(at), samples.timeNs(sample), before == PerfRing.USER_MARK);
            before = samples.element(at);
        }
        held.add(new Held(stack, pythonStack, space));
        heldSamples.add(samples, sample);
        if (held.size() == MAX_HELD) {
            askForNames();
        } else if (held.size() > MAX_HELD && areNamesRead()) {
            settleHeld();
        }
        return stack;
    }

    /** Asks for what {@link #upon} will look up: the code of the chain, and that of the stack where it may be asked. */
    private void askForNames() {
        readKernel();
        for (int i = 0; i < held.size(); i++) {
            AddressSpace space = held.get(i).space;
            Code leaf = null;
            for (int at = heldSamples.from(i); at < heldSamples.end(i); at++) {
                if (heldSamples.element(at) == PerfRing.STACK_MARK && (leaf == null || role(leaf) == Role.OTHER)) {
                    break;
                }
                Code code = codeAt(space, heldSamples.element(at));
                leaf = leaf == null ? code : leaf;
            }
        }
    }

    private boolean areNamesRead() {
        Thread reader = kernelReader;
        return tables.isIdle() && (reader == null || !reader.isAlive());
    }

    private void settleHeld() {
        named = true;
        for (int i = 0; i < held.size(); i++) {
            Held sample = held.get(i);
            stacks.finish(sample.stack, upon(sample.space, sample.under, heldSamples, i, null));
        }
        held.clear();
        heldSamples.clear();
    }

    /** Stores the native frames of all samples. Waits for names, for 3 s at most. */
    void finish() {
        if (held.isEmpty()) {
            return;
        }
        askForNames();
        long untilNs = System.nanoTime() + LONGEST_WAIT_NS;
        try {
            while (!areNamesRead() && System.nanoTime() - untilNs < 0) {
                Thread.sleep(1);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        settleHeld();
    }

    /** A native function of a sample. {@code place}: where its source line can be asked for; null for none. */
    private record Spot(Code code, SourceLines.@Nullable Place place) {}

    /** A sampled stack whose source lines may not be known yet: {@code frames}, outermost first, upon a stack. */
    record Unlined(int under, List<Spot> frames) {}

    /** Returns the id of a Python stack extended by a native sample, 0 for none. */
    int upon(int pythonStack, NativeSamples samples, int sample) {
        return upon(space(samples.pid(sample)), pythonStack, samples, sample, null);
    }

    /**
     * Returns the stack of a native sample of a program without Python, whose frames {@link #stack} gives their lines.
     */
    Unlined ofProgram(NativeSamples samples, int sample) {
        List<Spot> frames = new ArrayList<>();
        return new Unlined(upon(space(samples.pid(sample)), 0, samples, sample, frames), frames);
    }

    /** Asks for the source lines of a stack. {@code hurry}: without a pause. Returns whether all are known. */
    boolean askForLines(Unlined unlined, boolean hurry) {
        boolean known = true;
        for (Spot spot : unlined.frames) {
            known &= spot.place == null || spot.place.lines(hurry) != null;
        }
        return known;
    }

    /** Returns the id of a stack with the source lines that are known. */
    int stack(Unlined unlined) {
        int stack = unlined.under;
        for (Spot spot : unlined.frames) {
            List<Line> lines = spot.place == null ? null : spot.place.lines(false);
            if (lines == null || lines.isEmpty()) {
                stack = stacks.stack(stack, frame(spot.code));
            } else if (spot.code.file().equals(AddressSpace.JIT)) {
                stack = stacks.stack(stack, generated(lines.get(0)));
            } else {
                stack = inlined(stack, spot.code, lines);
            }
        }
        return stack;
    }

    private int generated(Line line) {
        return line.line() > 0
                ? stacks.sourceFrame(line.function(), line.file(), line.line())
                : stacks.nativeFrame(line.function(), AddressSpace.JIT, 0);
    }

    /** Extends a stack by a function and the functions inlined there, each followed by the name of the binary. */
    private int inlined(int under, Code code, List<Line> lines) {
        String binary = " [" + code.file().substring(code.file().lastIndexOf('/') + 1) + "]";
        int stack = under;
        for (int i = lines.size() - 1; i >= 0; i--) {
            Line line = lines.get(i);
            String function = i == lines.size() - 1 ? code.function() : line.function();
            stack = stacks.stack(stack, stacks.nativeFrame(function + binary, line.file(), line.line()));
        }
        return stack;
    }

    /** {@code frames}: where the native frames go, null = upon the Python stack. */
    private int upon(
            AddressSpace space, int pythonStack, NativeSamples samples, int sample, @Nullable List<Spot> frames) {
        readKernel();
        int from = samples.from(sample);
        int end = samples.end(sample);
        int kernelFrom = -1;
        int kernelEnd = -1;
        int userFrom = -1;
        int stackFrom = end;
        for (int at = from; at < end; at++) {
            long element = samples.element(at);
            if (element == PerfRing.STACK_MARK) {
                stackFrom = at + 1;
                break;
            }
            if (element == PerfRing.KERNEL_MARK) {
                kernelFrom = at + 1;
            } else if (element == PerfRing.USER_MARK) {
                kernelEnd = at;
                userFrom = at + 1;
            }
        }
        int userEnd = stackFrom == end ? end : stackFrom - 1;
        kernelEnd = kernelEnd < 0 ? userEnd : kernelEnd;
        int stack = pythonStack;
        if (userFrom >= 0 && userFrom < userEnd) {
            Range chain = new Range(userFrom, userEnd);
            stack = uponUser(space, stack, samples, sample, chain, new Range(stackFrom, end), frames);
        }
        boolean inKernel = kernelFrom >= 0 && kernelFrom < kernelEnd;
        return inKernel ? uponKernel(stack, samples, kernelFrom, kernelEnd, frames) : stack;
    }

    /** Returns whether a text is a name of Python, with or without those of modules before it. */
    private static boolean isName(String text) {
        return NAME.matcher(text).matches() && !text.contains("..") && !text.endsWith(".");
    }

    /**
     * Returns the id of a Python stack of a process extended by the C function that it calls.
     *
     * @param file path of its file, or the name of a part of the interpreter
     * @param name such as {@code compress} or {@code posix.fsync}; left out if it is no such name
     */
    int called(int pid, int pythonStack, String file, String name) {
        modules.use(pid, space(pid), file);
        String function = calls.computeIfAbsent(name, text -> isName(text) ? Frame.CALLED + " " + text : Frame.CALLED);
        int stack = calling(pythonStack, new Code(function, file));
        if (!file.startsWith("/")) {
            parts.add(stack);
        }
        return stack;
    }

    /** Returns the id of a Python stack whose innermost frame takes a lock. */
    int takingLock(int pythonStack) {
        return calling(pythonStack, TAKES_LOCK);
    }

    private int calling(int pythonStack, Code code) {
        int stack = stacks.stack(pythonStack, frame(code));
        callers.put(stack, pythonStack);
        return stack;
    }

    /** Returns the id of a stack extended by the kernel's work for it. */
    int inKernel(int stack, String cause) {
        return stacks.stack(stack, frame(new Code(cause, Frame.KERNEL)));
    }

    /** Returns the path of the file mapped at an address of a process; null if unknown. */
    @Nullable
    String file(int pid, long address) {
        return space(pid).file(address);
    }

    /** Updates the known mappings. {@code changed}: whether the process has loaded code since the last call. */
    void refresh(int pid, long nowNs, boolean changed) {
        space(pid).refresh(nowNs, changed);
    }

    boolean isJvm(int pid, long nowNs) {
        return space(pid).hasCodeOf(JVM, nowNs);
    }

    private AddressSpace space(int pid) {
        return spaces.computeIfAbsent(pid, p -> new AddressSpace(p, tables));
    }

    private int uponUser(
            AddressSpace space,
            int under,
            NativeSamples samples,
            int sample,
            Range chain,
            Range words,
            @Nullable List<Spot> frames) {
        long nowNs = samples.timeNs(sample);
        Code leaf = space.code(samples.element(chain.from), nowNs);
        if (leaf == null) {
            return under;
        }
        int count = 0;
        Code[] called = new Code[frames == null ? MAX_CALLERS : MAX_CALLERS_OF_PROGRAM];
        long[] returns = new long[called.length];
        for (int at = chain.from + 1; at < chain.end && count < called.length && !isInterpreter(leaf); at++) {
            Code caller = space.caller(samples.element(at), nowNs);
            if (caller == null || isInterpreter(caller)) {
                break; // In code without frame pointers, the register held an arbitrary value.
            }
            returns[count] = samples.element(at);
            called[count++] = caller;
        }
        if (count == 0 && isHelper(leaf)) {
            int at = callerOnStack(space, samples, words);
            Code caller = at < 0 ? null : codeAt(space, samples.element(at));
            if (caller != null) {
                returns[count] = samples.element(at);
                called[count++] = caller;
            }
        }
        Code outermost = count == 0 ? leaf : called[count - 1];
        int stack = isInterpreter(outermost)
                ? isBytecode(outermost)
                        ? callers.getOrDefault(under, under)
                        : onBehalf(samples.pid(sample), under, interpretersCaller(space, samples, words))
                : isHelper(outermost) ? under : callers.getOrDefault(under, under);
        while (count > 0) {
            Code caller = called[--count];
            stack = frames == null ? stacks.stack(stack, frame(caller)) : stack;
            add(frames, space, caller, returns[count] - 1); // The call is before its return address.
        }
        modules.use(samples.pid(sample), space, leaf.file());
        add(frames, space, leaf, samples.element(chain.from));
        return frames == null ? stacks.stack(stack, frame(leaf)) : stack;
    }

    private static void add(@Nullable List<Spot> frames, AddressSpace space, Code code, long address) {
        if (frames != null) {
            frames.add(new Spot(code, space.place(address)));
        }
    }

    /**
     * Returns the stack for which a function of the interpreter works, given who called it: the bytecode loop or a
     * library. If that is unknown, {@code under} tells it, although its frame may have been read at another line. It
     * also tells an extension module that was linked into the interpreter, whose functions the loop calls.
     */
    private int onBehalf(int pid, int under, @Nullable Code caller) {
        if (caller == null || parts.contains(under)) {
            return under;
        }
        if (isInterpreter(caller)) {
            return callers.getOrDefault(under, under);
        }
        return callers.containsKey(under) ? under : called(pid, under, caller.file(), "");
    }

    /**
     * Returns the code of the first return address on the stack that leads out of the interpreter's functions: into
     * its loop, or into a library. Null for none near the top of the stack.
     */
    private @Nullable Code interpretersCaller(AddressSpace space, NativeSamples samples, Range words) {
        for (int at = words.from; at < words.end; at++) {
            Code code = codeAt(space, samples.element(at));
            if (code != null && !isHelper(code) && (!isInterpreter(code) || isBytecode(code))) {
                return code;
            }
        }
        return null;
    }

    /** Returns the code of a file that a word of the stack may lead to, null if it is another number. */
    private static @Nullable Code codeAt(AddressSpace space, long word) {
        Code code = word >>> 12 == 0 || word < 0 ? null : space.mappedCode(word);
        return code == null || code.file().equals(AddressSpace.JIT) ? null : code;
    }

    private boolean isBytecode(Code code) {
        return bytecode.computeIfAbsent(
                code, c -> BYTECODE.matcher(c.function()).matches());
    }

    /**
     * Returns the position of the first return address near the top of the stack: the helper's caller's. -1 for none.
     */
    private int callerOnStack(AddressSpace space, NativeSamples samples, Range words) {
        for (int at = words.from; at < words.end; at++) {
            Code code = codeAt(space, samples.element(at));
            if (code != null && !isHelper(code)) {
                return at;
            }
        }
        return -1;
    }

    private boolean isHelper(Code code) {
        return role(code) == Role.HELPER
                || helpers.computeIfAbsent(
                        code, c -> FINDS_VARIABLE.matcher(c.function()).matches());
    }

    private boolean isInterpreter(Code code) {
        return role(code) == Role.INTERPRETER;
    }

    private Role role(Code code) {
        Role known = roles.get(code.file());
        if (known == null) {
            String base = code.file().substring(code.file().lastIndexOf('/') + 1);
            boolean interpreter = base.startsWith("libpython") || base.startsWith("python");
            boolean helper = code.file().equals(AddressSpace.JIT)
                    || HELPER.matcher(code.file()).find();
            known = interpreter ? Role.INTERPRETER : helper ? Role.HELPER : Role.OTHER;
            roles.put(code.file(), known);
        }
        return known;
    }

    private int frame(Code code) {
        return frames.computeIfAbsent(code, c -> stacks.nativeFrame(c.function(), file(c.file()), 0));
    }

    /** Returns the name of a file. Inductor names its files by a hash, so their folder is used. */
    static String file(String path) {
        boolean inductor = path.contains("/torchinductor_") || path.contains("/.inductor");
        return inductor ? "inductor-" + path.substring(path.lastIndexOf('/') + 1) : path;
    }

    private int uponKernel(int under, NativeSamples samples, int from, int end, @Nullable List<Spot> frames) {
        KernelSymbols symbols = system;
        if (symbols.isEmpty()) {
            if (frames != null) {
                frames.add(new Spot(new Code(UNNAMED, Frame.KERNEL), null));
                return under;
            }
            return stacks.stack(under, frame(new Code(UNNAMED, Frame.KERNEL)));
        }
        int cause = end - 1;
        while (cause > from && isWayIn(symbols, samples.element(cause))) {
            cause--;
        }
        if (isPreempted(symbols, samples.element(cause))) {
            return under;
        }
        for (int at = cause - 1; at > from; at--) {
            cause = isNoFile(symbols, samples.element(at)) ? at : cause;
        }
        if (frames != null) {
            frames.add(new Spot(kernelCode(symbols, samples.element(cause)), null));
            if (cause != from) {
                frames.add(new Spot(kernelCode(symbols, samples.element(from)), null));
            }
            return under;
        }
        int stack = stacks.stack(under, kernelFrame(symbols, samples.element(cause)));
        return cause == from ? stack : stacks.stack(stack, kernelFrame(symbols, samples.element(from)));
    }

    private boolean isWayIn(KernelSymbols symbols, long address) {
        return wayIn.computeIfAbsent(
                address, a -> WAY_IN.matcher(symbols.name(a)).matches());
    }

    private boolean isPreempted(KernelSymbols symbols, long address) {
        return preempted.computeIfAbsent(
                address, a -> PREEMPTED.matcher(symbols.name(a)).matches());
    }

    private boolean isNoFile(KernelSymbols symbols, long address) {
        return noFile.computeIfAbsent(
                address, a -> NO_FILE.matcher(symbols.name(a)).matches());
    }

    private int kernelFrame(KernelSymbols symbols, long address) {
        return kernelFrames.computeIfAbsent(address, a -> frame(kernelCode(symbols, a)));
    }

    private static Code kernelCode(KernelSymbols symbols, long address) {
        String name = symbols.name(address);
        return new Code(name.isEmpty() ? UNNAMED : name, Frame.KERNEL);
    }

    /** Forgets the code of a process, which runs another program now or has ended. */
    void ended(int pid) {
        spaces.remove(pid);
        modules.ended(pid);
    }
}

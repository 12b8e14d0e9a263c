package io.inferscope.collectors.python;

import io.inferscope.collectors.host.NativeSamples;
import io.inferscope.collectors.os.PerfRing;
import io.inferscope.collectors.symbols.AddressSpace;
import io.inferscope.collectors.symbols.AddressSpace.Code;
import io.inferscope.collectors.symbols.KernelSymbols;
import io.inferscope.collectors.symbols.SymbolTable;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Puts native frames upon Python's: what lies beneath the innermost Python frame.
 *
 * <pre>
 *   caller, Python     a.py(7): step
 *                      at::native::add [libtorch_cpu.so]     callers as far as frame pointers lead, without the interpreter
 *                      __memset_avx2 [libc.so.6]             the instruction of the program
 *                      exc_page_fault [kernel]               why the kernel works
 *   innermost          clear_page_erms [kernel]              at what
 * </pre>
 *
 * Where the program itself was in the interpreter, that is its one native frame.
 */
final class NativeStacks {
    /** Callers are kept up to here: stacks are few, but each is stored with every Python stack it occurs under. */
    private static final int MAX_CALLERS = 4;

    private static final String KERNEL = "kernel";

    /** Frames of the kernel on every way in: they tell nothing. entry_64.S, entry_64_fred.S, entry.S of arm64. */
    private static final Pattern WAY_IN = Pattern.compile(
            "|entry_.*|asm_.*|do_syscall_64|x64_sys_call|el0.*|invoke_syscall.*|do_el0_svc|el0_svc.*|ret_from_fork.*|common_interrupt_return|swapgs_.*|(syscall_|irqentry_)?exit_to_user_mode.*|task_work_run");

    /** What a read or a write goes to, where that is no file: nearer to the cause than the system call. */
    private static final Pattern NO_FILE =
            Pattern.compile("(anon_)?pipe_(read|write)|sock_(read|write)_iter|eventfd_(read|write)");

    private final StackTable stacks;
    private final Map<Integer, AddressSpace> spaces = new HashMap<>();
    private final Map<String, SymbolTable> tables = new HashMap<>();
    private final Map<Long, Integer> kernelFrames = new HashMap<>();
    private final Map<Long, Boolean> wayIn = new HashMap<>();
    private final Map<Long, Boolean> noFile = new HashMap<>();
    private final Map<Code, Integer> frames = new HashMap<>();
    private volatile KernelSymbols kernel = KernelSymbols.NONE;

    NativeStacks(StackTable stacks) {
        this.stacks = stacks;
        // Listing the kernel's functions takes a tenth of a second, in which no round could be taken.
        Thread reader =
                new Thread(() -> kernel = KernelSymbols.read(Path.of("/proc/kallsyms")), "inferscope-kernel-symbols");
        reader.setDaemon(true);
        reader.start();
    }

    /** Returns the id of the stack that a native sample makes of a Python stack, 0 for none. */
    int upon(int pythonStack, NativeSamples samples, int sample) {
        int from = samples.from(sample);
        int end = samples.end(sample);
        int kernelFrom = -1;
        int kernelEnd = -1;
        int userFrom = -1;
        for (int at = from; at < end; at++) {
            long element = samples.element(at);
            if (element == PerfRing.KERNEL_MARK) {
                kernelFrom = at + 1;
                kernelEnd = end;
            } else if (element == PerfRing.USER_MARK) {
                kernelEnd = kernelFrom < 0 ? -1 : at;
                userFrom = at + 1;
            }
        }
        int stack = pythonStack;
        if (userFrom >= 0 && userFrom < end) {
            stack = uponUser(stack, samples, sample, userFrom, end);
        }
        return kernelFrom >= 0 && kernelFrom < kernelEnd ? uponKernel(stack, samples, kernelFrom, kernelEnd) : stack;
    }

    private int uponUser(int under, NativeSamples samples, int sample, int from, int end) {
        AddressSpace space = spaces.computeIfAbsent(samples.pid(sample), pid -> new AddressSpace(pid, tables));
        long nowNs = samples.timeNs(sample);
        Code leaf = space.code(samples.element(from), nowNs);
        if (leaf == null) {
            return under;
        }
        int callers = 0;
        Code[] called = new Code[MAX_CALLERS];
        for (int at = from + 1; at < end && callers < MAX_CALLERS && !isInterpreter(leaf); at++) {
            Code caller = space.code(samples.element(at), nowNs);
            if (caller == null || isInterpreter(caller)) {
                break; // Without frame pointers a register that held anything was taken for one.
            }
            called[callers++] = caller;
        }
        int stack = under;
        while (callers > 0) {
            stack = stacks.stack(stack, frame(called[--callers]));
        }
        return stacks.stack(stack, frame(leaf));
    }

    private static boolean isInterpreter(Code code) {
        String base = code.file().substring(code.file().lastIndexOf('/') + 1);
        return base.startsWith("libpython") || base.startsWith("python");
    }

    private int frame(Code code) {
        return frames.computeIfAbsent(code, c -> stacks.nativeFrame(c.function(), file(c.file())));
    }

    /** What Inductor makes lies in files named by a hash: their folder says what they are. */
    private static String file(String path) {
        boolean inductor = path.contains("/torchinductor_") || path.contains("/.inductor");
        return inductor ? "inductor-" + path.substring(path.lastIndexOf('/') + 1) : path;
    }

    private int uponKernel(int under, NativeSamples samples, int from, int end) {
        KernelSymbols symbols = kernel;
        if (symbols.isEmpty()) {
            return stacks.stack(under, frame(new Code("[unknown]", KERNEL)));
        }
        int cause = end - 1;
        while (cause > from && isWayIn(symbols, samples.element(cause))) {
            cause--;
        }
        for (int at = cause - 1; at > from; at--) {
            cause = isNoFile(symbols, samples.element(at)) ? at : cause;
        }
        int stack = stacks.stack(under, kernelFrame(symbols, samples.element(cause)));
        return cause == from ? stack : stacks.stack(stack, kernelFrame(symbols, samples.element(from)));
    }

    private boolean isWayIn(KernelSymbols symbols, long address) {
        return wayIn.computeIfAbsent(
                address, a -> WAY_IN.matcher(symbols.name(a)).matches());
    }

    private boolean isNoFile(KernelSymbols symbols, long address) {
        return noFile.computeIfAbsent(
                address, a -> NO_FILE.matcher(symbols.name(a)).matches());
    }

    private int kernelFrame(KernelSymbols symbols, long address) {
        return kernelFrames.computeIfAbsent(address, a -> {
            String name = symbols.name(a);
            return frame(new Code(name.isEmpty() ? "[unknown]" : name, KERNEL));
        });
    }

    void ended(int pid) {
        spaces.remove(pid);
    }
}

package io.inferscope.collectors.os;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Makes a thread of another process load a library and call one of its functions, for programs without another way to
 * inject code (ptrace(2); x86-64 only).
 *
 * <pre>
 *   the thread   waits in a system call | stopped |  CODE: dlopen, dlsym, call   | the same system call again
 *   the tracer                          seize  write  let go
 * </pre>
 *
 * <p>{@link #CODE} saves and restores the registers itself, and the tracer has detached before it runs. So, whenever
 * InferScope dies, the thread is either untouched or returns by itself. Only threads that wait in a system call without
 * holding locks of the C library are used, because the call takes locks of the allocator and of the loader.
 */
public final class RemoteLibraryCall {
    /**
     * Runs with rsp at the block below the stack's red zone. Listed in native/stubs/borrowed.s, from which a test
     * assembles it again. Its last 16 bytes are the addresses at which it continues: the system call, or behind it if a
     * signal interrupts the call.
     */
    static final String CODE =
            "4889e34881ec00100000fc31c0488dbc2400020000b908000000f348abb8e700000031d2480fae2424b80e00000031ff"
                    + "488d7330488d533841ba080000000f05488b7b10be02000000ff134885c074194889c7488b7318ff53084885c0740a48"
                    + "8b7b20488b7328ffd0b87f000000488d7b48be080000000f05488b4348482343407412488983d800000048c783a00000"
                    + "00fcffffffb80e000000bf02000000488d733831d241ba080000000f05b8e700000031d2480fae2c24488d6350415f41"
                    + "5e415d415c5d5b415b415a4159415858595a5e5f48837c241000750b9d488b2424ff25110000009d488b2424ff250e00"
                    + "0000660f1f44000000000000000000000000000000000000";

    /** Bytes of memory needed for the code; the memory must not be reused. */
    public static final int CODE_BYTES = CODE.length() / 2;

    private static final int REPEAT_AT = CODE_BYTES - 16;
    private static final int INTERRUPTED_AT = CODE_BYTES - 8;

    /** System calls in which a thread may be used, in the order of how little harm a repetition does: unistd_64.h. */
    private static final List<Integer> WAITS = List.of(
            7, 271, // poll, ppoll
            232, 281, 441, // epoll_wait, epoll_pwait, epoll_pwait2
            23, 270, // select, pselect6
            43, 288, // accept, accept4
            61, 247, // wait4, waitid
            230, 35); // clock_nanosleep, nanosleep

    /** Those that return EINTR after any handler, whatever its flags: signal(7). */
    private static final Set<Long> INTERRUPTIBLE = Set.of(7L, 271L, 232L, 281L, 441L, 23L, 270L);

    private static final int POLL = 7;

    /** Continues a wait whose end the kernel has kept; after a handler has run, it returns EINTR. */
    private static final long RESTART_SYSCALL = 219;

    private static final long RESTART_KEPT = -516;

    /** All but SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV and SIGSYS, which report a thread's own faults. */
    private static final long ASYNCHRONOUS = ~(1L << 3 | 1L << 4 | 1L << 6 | 1L << 7 | 1L << 10 | 1L << 30);

    /** Refusals that a retry does not change: for this thread, and for all threads. */
    public static final String SMALL_STACK = "its stack is too small, or not its own";

    public static final String TAKEN = "another InferScope has written to the memory that its code needs";

    /** A filter may end a program for what the loader and the agent call. */
    public static final String FILTERED = "it filters its own system calls (seccomp)";

    private static final long PTRACE = 101;
    private static final int PEEKDATA = 2;
    private static final int POKEDATA = 5;
    private static final int CONT = 7;
    private static final int DETACH = 17;
    private static final int GETREGSET = 0x4204;
    private static final int SETREGSET = 0x4205;
    private static final int SEIZE = 0x4206;
    private static final int INTERRUPT = 0x4207;
    private static final int GETSIGMASK = 0x420a;
    private static final int MASK_BYTES = 8;
    private static final int NT_PRSTATUS = 1;
    private static final int WNOHANG = 1;
    private static final int WALL = 0x4000_0000;
    private static final int EVENT_STOP = 128;
    private static final int SIGTRAP = 5;
    private static final int RUSAGE_WORDS = 18;

    /** Fields of struct user_regs_struct, in words. */
    private static final int REGISTERS = 27;

    private static final int RAX = 10;
    private static final int RDX = 12;
    private static final int RDI = 14;
    private static final int ORIGINAL_RAX = 15;
    private static final int RIP = 16;
    private static final int FLAGS = 18;
    private static final int RSP = 19;
    private static final int FS_BASE = 21;

    /**
     * Results of an interrupted system call: EINTR, ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK
     * (errno.h of the kernel).
     */
    private static final List<Long> INTERRUPTED = List.of(-4L, -512L, -513L, -514L, -516L);

    private static final int SYSCALL = 0x050f; // The instruction.
    private static final int RED_ZONE = 128;
    private static final long STACK_NEEDED = 256 << 10;
    private static final int BLOCK_WORDS = 10;
    private static final int TAIL_WORDS = 3;
    private static final long STOP_NS = 1_000_000_000L;

    /**
     * The call to make: {@code function(argument, number)} of a library.
     *
     * @param dlopen address of that function of the C library
     * @param dlsym the same
     * @param code {@link #CODE_BYTES} of unused executable memory
     */
    public record Loading(
            long dlopen, long dlsym, long code, Path library, String function, Path argument, long number) {}

    private final int tid;
    private final Loading loading;

    private RemoteLibraryCall(int tid, Loading loading) {
        this.tid = tid;
        this.loading = loading;
    }

    /** Returns whether this processor is supported. */
    public static boolean isSupported() {
        return System.getProperty("os.arch", "").equals("amd64");
    }

    /** Returns the threads of a process that wait in a suitable system call, the best first. */
    public static List<Integer> waiting(int pid) {
        record Waiting(int tid, int rank) {}
        List<Waiting> waiting = new ArrayList<>();
        String[] tids = new File("/proc/" + pid + "/task").list();
        for (String tid : tids == null ? new String[0] : tids) {
            try {
                String call = Files.readString(Path.of("/proc/" + pid + "/task/" + tid + "/syscall"));
                String number = call.substring(0, Math.max(0, call.indexOf(' ')));
                int rank = number.matches("\\d+") ? WAITS.indexOf(Integer.valueOf(number)) : -1;
                if (rank >= 0) {
                    waiting.add(new Waiting(Integer.parseInt(tid), rank));
                }
            } catch (IOException | RuntimeException ended) {
                // The thread no longer waits.
            }
        }
        waiting.sort(Comparator.comparingInt(Waiting::rank));
        return waiting.stream().map(Waiting::tid).toList();
    }

    /**
     * Makes a thread perform the call. Its end is not observed here.
     *
     * @return why the thread cannot be used, in which case it continues, at most with its system call interrupted;
     *     empty if it will make the call
     */
    public static String call(int tid, Loading loading) {
        AtomicReference<String> result = new AtomicReference<>("it does not stop");
        // The tracer is a thread, because its end detaches it from the traced thread.
        Thread tracer = new Thread(() -> result.set(new RemoteLibraryCall(tid, loading).call()), "inferscope-tracer");
        tracer.setDaemon(true);
        tracer.start();
        boolean interrupted = false;
        while (true) {
            try {
                tracer.join(); // The tracer ends soon, and no other one may start before that.
                break;
            } catch (InterruptedException asked) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return Objects.requireNonNull(result.get());
    }

    private String call() {
        if (!hasRoom()) {
            return SMALL_STACK; // Checked first, so that an unsuitable thread is not stopped.
        }
        if (filters(proc("status")) > filters(Path.of("/proc/thread-self/status"))) {
            return FILTERED;
        }
        if (ptrace(SEIZE, 0, 0) != 0) {
            return "ptrace(2) is refused (errno " + Native.getLastError() + ")";
        }
        try (Memory registers = new Memory(REGISTERS * 8L);
                Memory range = new Memory(16)) {
            range.setPointer(0, registers);
            range.setLong(8, REGISTERS * 8L);
            String problem = ptrace(INTERRUPT, 0, 0) != 0 ? "it has ended" : awaitStop();
            if (problem.isEmpty() && ptrace(GETREGSET, NT_PRSTATUS, Pointer.nativeValue(range)) != 0) {
                problem = "its registers cannot be read";
            }
            if (problem.isEmpty()) {
                problem = redirect(registers);
            }
            if (problem.isEmpty() && ptrace(SETREGSET, NT_PRSTATUS, Pointer.nativeValue(range)) != 0) {
                problem = "its registers cannot be set";
            }
            return problem;
        } finally {
            ptrace(DETACH, 0, 0);
        }
    }

    private String awaitStop() {
        int[] status = new int[1];
        long endNs = System.nanoTime() + STOP_NS;
        while (System.nanoTime() < endNs) {
            int found = LibC.wait4(tid, status, WNOHANG | WALL, new long[RUSAGE_WORDS]);
            if (found == 0) {
                Thread.onSpinWait();
                continue;
            }
            boolean stopped = found == tid && (status[0] & 0xff) == 0x7f;
            int signal = status[0] >> 8 & 0xff;
            if (!stopped) {
                return "it has ended";
            }
            if (status[0] >> 16 == EVENT_STOP) {
                return signal == SIGTRAP ? "" : "it is stopped by a signal";
            }
            ptrace(CONT, 0, signal); // A signal for the thread.
        }
        return "it does not stop";
    }

    /** Writes code and data, and sets the registers in {@code registers}, but not yet those of the thread. */
    private String redirect(Memory registers) {
        long[] saved = registers.getLongArray(0, REGISTERS);
        boolean waits = WAITS.contains((int) saved[ORIGINAL_RAX]) && INTERRUPTED.contains(saved[RAX]);
        if (!waits || (peek(saved[RIP] - 2) & 0xffff) != SYSCALL) {
            return "it does not wait any more";
        }
        Signals signals = signals();
        if ((signals.pending() & ~(signals.blocked() & signals.own())) != 0) {
            return "a signal waits for it"; // It would end the system call, which CODE repeats.
        }
        byte[] block = block(saved, signals);
        long at = saved[RSP] - RED_ZONE - block.length & -64;
        if (!hasRoom(maps(), at, saved[FS_BASE])) {
            return SMALL_STACK;
        }
        for (int i = 0; i < CODE_BYTES; i += 8) {
            if (peek(loading.code() + i) != 0) {
                return TAKEN;
            }
        }
        ByteBuffer words = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        long texts = at + 8L * (BLOCK_WORDS + RDI + 1 + TAIL_WORDS);
        words.putLong(2 * 8, texts);
        words.putLong(3 * 8, texts + bytes(loading.library().toString()).length);
        words.putLong(4 * 8, words.getLong(3 * 8) + bytes(loading.function()).length);
        byte[] code = HexFormat.of().parseHex(CODE);
        ByteBuffer.wrap(code)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(REPEAT_AT, saved[RIP] - 2)
                .putLong(INTERRUPTED_AT, saved[RIP]);
        if (!poke(at, block) || !poke(loading.code(), code)) {
            return "its memory cannot be written to";
        }
        registers.setLong(RIP * 8, loading.code());
        registers.setLong(RSP * 8, at);
        registers.setLong(ORIGINAL_RAX * 8, -1); // CODE repeats the system call, so the kernel must not.
        return "";
    }

    /**
     * dlopen, dlsym, addresses of library, function and argument, number; signals; r15 ... rdi as in struct
     * user_regs_struct; flags, rsp, whether the wait was interrupted; texts.
     */
    private byte[] block(long[] saved, Signals signals) {
        byte[] library = bytes(loading.library().toString());
        byte[] function = bytes(loading.function());
        byte[] argument = bytes(loading.argument().toString());
        int texts = library.length + function.length + argument.length;
        int length = 8 * (BLOCK_WORDS + RDI + 1 + TAIL_WORDS) + texts;
        ByteBuffer block = ByteBuffer.allocate(length + 7 & -8).order(ByteOrder.LITTLE_ENDIAN);
        block.putLong(loading.dlopen()).putLong(loading.dlsym());
        block.putLong(0).putLong(0).putLong(0).putLong(loading.number());
        boolean timed = saved[RAX] == RESTART_KEPT && (saved[ORIGINAL_RAX] != POLL || (int) saved[RDX] >= 0);
        boolean interruptible = !timed && INTERRUPTIBLE.contains(saved[ORIGINAL_RAX]);
        block.putLong(ASYNCHRONOUS).putLong(signals.own());
        block.putLong(interruptible ? signals.handled() & ~signals.own() : 0).putLong(0);
        for (int i = 0; i <= RDI; i++) {
            block.putLong(i != RAX ? saved[i] : timed ? RESTART_SYSCALL : saved[ORIGINAL_RAX]);
        }
        block.putLong(saved[FLAGS]).putLong(saved[RSP]).putLong(0);
        block.put(library).put(function).put(argument);
        return block.array();
    }

    private static byte[] bytes(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Signals of the stopped thread, one per bit. {@code blocked} holds in its system call, {@code own} after it; they
     * differ in ppoll, pselect and epoll_pwait. A signal that both block is not delivered.
     */
    private record Signals(long pending, long blocked, long own, long handled) {}

    private Signals signals() {
        try (Memory own = new Memory(MASK_BYTES)) {
            own.clear();
            ptrace(GETSIGMASK, MASK_BYTES, Pointer.nativeValue(own));
            List<String> status = Files.readAllLines(proc("status"), StandardCharsets.ISO_8859_1);
            return new Signals(
                    mask(status, "SigPnd:") | mask(status, "ShdPnd:"),
                    mask(status, "SigBlk:"),
                    own.getLong(0),
                    mask(status, "SigCgt:"));
        } catch (IOException ended) {
            return new Signals(-1, 0, 0, 0);
        }
    }

    /**
     * Returns the number of a thread's filters of system calls; InferScope has those of the container, too. Before
     * Linux 5.9, whether it has any.
     */
    private static long filters(Path status) {
        try {
            List<String> lines = Files.readAllLines(status, StandardCharsets.ISO_8859_1);
            long count = mask(lines, "Seccomp_filters:");
            return count > 0 ? count : mask(lines, "Seccomp:");
        } catch (IOException ended) {
            return 0;
        }
    }

    private static long mask(List<String> status, String key) {
        return status.stream()
                .filter(line -> line.startsWith(key))
                .mapToLong(line ->
                        Long.parseUnsignedLong(line.substring(key.length()).strip(), 16))
                .findFirst()
                .orElse(0);
    }

    /**
     * The same as below without the registers, which only a stopped thread shows. True if the thread does not wait,
     * because it is checked again.
     */
    private boolean hasRoom() {
        try {
            String[] words = Files.readString(proc("syscall")).strip().split(" ", -1);
            return words.length < 2 || hasRoom(maps(), Long.decode(words[words.length - 2]), 0);
        } catch (IOException | NumberFormatException ended) {
            return true;
        }
    }

    /**
     * Returns whether there is room below an address on the thread's own stack. The kernel makes the main thread's
     * stack longer; others have a mapping of a fixed size, at whose top the C library keeps what fs points to. Stacks
     * on the program's heap (coroutines, signal handlers) have other data below them.
     *
     * @param fs value of that register; 0 if not known
     */
    static boolean hasRoom(List<String> maps, long at, long fs) {
        for (String line : maps) {
            int dash = line.indexOf('-');
            long from = Long.parseUnsignedLong(line.substring(0, dash), 16);
            long to = Long.parseUnsignedLong(line.substring(dash + 1, line.indexOf(' ')), 16);
            if (at >= from && at < to) {
                boolean own = fs == 0 || (fs > at && fs < to);
                return line.endsWith("[stack]") || (own && at - from >= STACK_NEEDED);
            }
        }
        return false;
    }

    /** The process' mappings; none when it has ended. */
    private List<String> maps() {
        try {
            return Files.readAllLines(proc("maps"), StandardCharsets.ISO_8859_1);
        } catch (IOException ended) {
            return List.of();
        }
    }

    /** Returns a file in /proc on the thread. The kernel finds threads there by their id. */
    private Path proc(String name) {
        return Path.of("/proc/" + tid + "/" + name);
    }

    private long peek(long address) {
        try (Memory word = new Memory(8)) {
            word.clear();
            ptrace(PEEKDATA, address, Pointer.nativeValue(word));
            return word.getLong(0);
        }
    }

    private boolean poke(long address, byte[] bytes) {
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < bytes.length; i += 8) {
            if (ptrace(POKEDATA, address + i, words.getLong(i)) != 0) {
                return false;
            }
        }
        return true;
    }

    private long ptrace(int request, long address, long data) {
        return LibC.syscall(PTRACE, request, tid, address, data, 0);
    }
}

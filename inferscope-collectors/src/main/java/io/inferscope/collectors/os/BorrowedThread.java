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
import java.util.concurrent.atomic.AtomicReference;

/**
 * Has a thread of another process load a library and call one of its functions, for programs that offer no way in (ptrace(2); x86-64 only).
 *
 * <pre>
 *   the thread   waits in a system call | stopped |  CODE: dlopen, dlsym, call   | the same system call again
 *   the tracer                          seize  write  let go
 * </pre>
 *
 * <p>{@link #CODE} saves and restores the registers itself, and the tracer is gone before it runs. So the thread is untouched or finds its way back,
 * whenever InferScope dies. Threads are taken that wait in a system call in which none of the C library's own locks is held: what they call takes
 * those of the allocator and of the loader.
 */
public final class BorrowedThread {
    /**
     * Runs with rsp at the block below the stack's red zone. Listed in native/stubs/borrowed.s, from which a test assembles it again. Its last 8 bytes
     * are the address that it goes on at.
     */
    static final String CODE =
            "4889e34881ec00100000fc31c0488dbc2400020000b908000000f348abb8e700000031d2480fae2424488b7b10be0200"
                    + "0000ff134885c074194889c7488b7318ff53084885c0740a488b7b20488b7328ffd0b8e700000031d2480fae2c24488d"
                    + "6330415f415e415d415c5d5b415b415a4159415858595a5e5f9d488b2424ff25040000000f1f40000000000000000000";

    /** How many bytes of memory for code are needed, none of which may be used again. */
    public static final int CODE_BYTES = CODE.length() / 2;

    private static final int RETURN_TO = CODE_BYTES - 8;

    /** System calls in which a thread may be borrowed, those first that a repetition harms least: unistd_64.h. */
    private static final List<Integer> WAITS = List.of(
            7, 271, // poll, ppoll
            232, 281, 441, // epoll_wait, epoll_pwait, epoll_pwait2
            23, 270, // select, pselect6
            43, 288, // accept, accept4
            61, 247, // wait4, waitid
            230, 35); // clock_nanosleep, nanosleep

    /** Refusals that trying again does not change: of this thread, and of all threads. */
    public static final String SMALL_STACK = "its stack is too small, or not its own";

    public static final String TAKEN = "another InferScope has written to the memory that its code needs";

    private static final long PTRACE = 101;
    private static final int PEEKDATA = 2;
    private static final int POKEDATA = 5;
    private static final int CONT = 7;
    private static final int DETACH = 17;
    private static final int GETREGSET = 0x4204;
    private static final int SETREGSET = 0x4205;
    private static final int SEIZE = 0x4206;
    private static final int INTERRUPT = 0x4207;
    private static final int NT_PRSTATUS = 1;
    private static final int WNOHANG = 1;
    private static final int WALL = 0x4000_0000;
    private static final int EVENT_STOP = 128;
    private static final int SIGTRAP = 5;
    private static final int RUSAGE_WORDS = 18;

    /** Fields of struct user_regs_struct, in words. */
    private static final int REGISTERS = 27;

    private static final int RAX = 10;
    private static final int RDI = 14;
    private static final int ORIGINAL_RAX = 15;
    private static final int RIP = 16;
    private static final int FLAGS = 18;
    private static final int RSP = 19;
    private static final int FS_BASE = 21;

    /** What an interrupted system call returns: EINTR, ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK (errno.h of the kernel). */
    private static final List<Long> INTERRUPTED = List.of(-4L, -512L, -513L, -514L, -516L);

    private static final int SYSCALL = 0x050f; // The instruction.
    private static final int RED_ZONE = 128;
    private static final long STACK_NEEDED = 256 << 10;
    private static final int BLOCK_WORDS = 6;
    private static final long STOP_NS = 1_000_000_000L;

    /**
     * What is called: {@code function(argument, number)} of a library.
     *
     * @param dlopen where that function of the C library is
     * @param dlsym the same
     * @param code {@link #CODE_BYTES} of executable memory that is not used
     */
    public record Loading(
            long dlopen, long dlsym, long code, Path library, String function, Path argument, long number) {}

    private final int tid;
    private final Loading loading;

    private BorrowedThread(int tid, Loading loading) {
        this.tid = tid;
        this.loading = loading;
    }

    /** Returns whether this processor's threads can be borrowed. */
    public static boolean isSupported() {
        return System.getProperty("os.arch", "").equals("amd64");
    }

    /** Returns the threads of a process that wait where they may be borrowed, the best first. */
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
                // It waits no more.
            }
        }
        waiting.sort(Comparator.comparingInt(Waiting::rank));
        return waiting.stream().map(Waiting::tid).toList();
    }

    /**
     * Has a thread make the call, of whose end nothing is known here.
     *
     * @return why the thread cannot be borrowed, and goes on, at most with its system call interrupted; empty when it goes to make the call
     */
    public static String call(int tid, Loading loading) {
        AtomicReference<String> result = new AtomicReference<>("it does not stop");
        // A tracer is a thread; what it traces is let go when it ends.
        Thread tracer = new Thread(() -> result.set(new BorrowedThread(tid, loading).call()), "inferscope-tracer");
        tracer.setDaemon(true);
        tracer.start();
        boolean interrupted = false;
        while (true) {
            try {
                tracer.join(); // Nothing in it takes long, and no other may start before it has ended.
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
            return SMALL_STACK; // Then it need not be stopped.
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
            ptrace(CONT, 0, signal); // A signal on its way to it.
        }
        return "it does not stop";
    }

    /** Writes code and data, and sets the registers in memory; the last step, to set the thread's, is left. */
    private String redirect(Memory registers) {
        long[] saved = registers.getLongArray(0, REGISTERS);
        boolean waits = WAITS.contains((int) saved[ORIGINAL_RAX]) && INTERRUPTED.contains(saved[RAX]);
        if (!waits || (peek(saved[RIP] - 2) & 0xffff) != SYSCALL) {
            return "it does not wait any more";
        }
        if (hasSignal()) {
            return "a signal waits for it"; // It would end the system call, which CODE makes again.
        }
        byte[] block = block(saved);
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
        long texts = at + 8L * (BLOCK_WORDS + RDI + 1 + 2);
        words.putLong(2 * 8, texts);
        words.putLong(3 * 8, texts + bytes(loading.library().toString()).length);
        words.putLong(4 * 8, words.getLong(3 * 8) + bytes(loading.function()).length);
        byte[] code = HexFormat.of().parseHex(CODE);
        ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN).putLong(RETURN_TO, saved[RIP] - 2);
        if (!poke(at, block) || !poke(loading.code(), code)) {
            return "its memory cannot be written to";
        }
        registers.setLong(RIP * 8, loading.code());
        registers.setLong(RSP * 8, at);
        registers.setLong(ORIGINAL_RAX * 8, -1); // The kernel is not to repeat the system call; CODE does.
        return "";
    }

    /** dlopen, dlsym, addresses of library, function and argument, number; r15 ... rdi as struct user_regs_struct; flags, rsp; texts. */
    private byte[] block(long[] saved) {
        byte[] library = bytes(loading.library().toString());
        byte[] function = bytes(loading.function());
        byte[] argument = bytes(loading.argument().toString());
        int texts = library.length + function.length + argument.length;
        int length = 8 * (BLOCK_WORDS + RDI + 1 + 2) + texts;
        ByteBuffer block = ByteBuffer.allocate(length + 7 & -8).order(ByteOrder.LITTLE_ENDIAN);
        block.putLong(loading.dlopen()).putLong(loading.dlsym());
        block.putLong(0).putLong(0).putLong(0).putLong(loading.number());
        for (int i = 0; i <= RDI; i++) {
            block.putLong(i == RAX ? saved[ORIGINAL_RAX] : saved[i]);
        }
        block.putLong(saved[FLAGS]).putLong(saved[RSP]);
        block.put(library).put(function).put(argument);
        return block.array();
    }

    private static byte[] bytes(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }

    /** Whether a signal is pending, for the thread or for its process. */
    private boolean hasSignal() {
        try {
            return Files.readAllLines(proc("status"), StandardCharsets.ISO_8859_1).stream()
                    .anyMatch(line -> line.matches("(SigPnd|ShdPnd):.*[1-9a-f].*"));
        } catch (IOException ended) {
            return true;
        }
    }

    /** The same as below without the registers, which only a stopped thread shows. True when the thread does not wait: it is looked at again. */
    private boolean hasRoom() {
        try {
            String[] words = Files.readString(proc("syscall")).strip().split(" ", -1);
            return words.length < 2 || hasRoom(maps(), Long.decode(words[words.length - 2]), 0);
        } catch (IOException | NumberFormatException ended) {
            return true;
        }
    }

    /**
     * Returns whether there is room below an address on the thread's own stack. The kernel makes the main thread's stack longer; others have a
     * mapping of a fixed size, at whose top the C library keeps what fs points to. Stacks that a program makes on its heap (coroutines, signal
     * handlers) have other data below them.
     *
     * @param fs where that register points to; 0 for not known
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

    /** Returns a file on the thread; the kernel finds those of all threads there. */
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

package io.inferscope.collectors.os;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;

/**
 * A program started as the shell would start it: same standard streams, process group and terminal, all descriptors
 * that the user passed on, byte-exact arguments and environment, the same ignored and blocked signals.
 *
 * <p>Not {@link ProcessBuilder}: that closes the user's other descriptors (and with them {@code <(...)} of the shell),
 * passes on the JVM's blocked SIGQUIT, and does not distinguish exit code 130 from death by SIGINT.
 */
public final class ChildProcess {
    private static final int SIGNALS = 64;
    private static final int OPENED_MEANWHILE = 64;
    private static final Pointer SIG_IGN = new Pointer(1);
    private static final short POSIX_SPAWN_SETPGROUP = 0x02;
    private static final short POSIX_SPAWN_SETSIGDEF = 0x04;
    private static final short POSIX_SPAWN_SETSIGMASK = 0x08;
    private static final int FILE_ACTIONS_BYTES = 1024; // glibc 80, musl 80.
    private static final int OWNER_ONLY = 0600;
    private static final int ATTRIBUTE_BYTES = 1024; // glibc 336, musl 336.
    private static final int SIGNAL_SET_BYTES = 128;
    private static final int INFO_CODE = 8;
    private static final int INFO_STATUS = 24;
    private static final int CLD_EXITED = 1;

    private final int pid;

    private ChildProcess(int pid) {
        this.pid = pid;
    }

    /**
     * How a process ended.
     *
     * @param code its exit code, or the number of the signal that killed it
     * @param bySignal whether a signal killed it
     */
    public record End(int code, boolean bySignal) {
        /** Returns the exit code as a shell gives it: 128 + n for signal n. */
        public int shellCode() {
            return bySignal ? 128 + code : code;
        }
    }

    /**
     * Streams and folder of a background program.
     *
     * @param input the descriptor that becomes its standard input
     * @param output the new file for its standard output
     * @param error the new file for its standard error
     * @param folder its working folder
     */
    @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
    public record Background(int input, byte[] output, byte[] error, byte[] folder) {}

    /**
     * Starts a program.
     *
     * @param path the file to execute
     * @param arguments all arguments, the program's own name first
     * @param environment entries {@code NAME=value}
     * @param inheritance its signals
     * @throws SpawnException when the system refuses
     */
    public static ChildProcess spawn(
            byte[] path, List<byte[]> arguments, List<byte[]> environment, Inheritance inheritance)
            throws SpawnException {
        try (Memory actions = new Memory(FILE_ACTIONS_BYTES)) {
            LibC.posix_spawn_file_actions_init(actions);
            try {
                if (inheritance.output() != 1) {
                    LibC.posix_spawn_file_actions_adddup2(actions, inheritance.output(), 1);
                }
                return spawn(path, arguments, environment, actions, inheritance, (short) 0);
            } finally {
                LibC.posix_spawn_file_actions_destroy(actions);
            }
        }
    }

    /**
     * Starts a background program as the leader of a new process group.
     *
     * @throws SpawnException when the system refuses
     * @see #spawn(byte[], List, List, Inheritance)
     */
    public static ChildProcess spawn(
            byte[] path, List<byte[]> arguments, List<byte[]> environment, Background background)
            throws SpawnException {
        short flags = POSIX_SPAWN_SETPGROUP; // The attributes' group is 0: the program's own.
        try (Memory actions = new Memory(FILE_ACTIONS_BYTES)) {
            LibC.posix_spawn_file_actions_init(actions);
            try {
                LibC.posix_spawn_file_actions_adddup2(actions, background.input(), 0);
                int create = LibC.O_WRONLY_CREATE_TRUNCATE;
                LibC.posix_spawn_file_actions_addopen(actions, 1, terminated(background.output()), create, OWNER_ONLY);
                LibC.posix_spawn_file_actions_addopen(actions, 2, terminated(background.error()), create, OWNER_ONLY);
                LibC.posix_spawn_file_actions_addchdir_np(actions, terminated(background.folder()));
                return spawn(path, arguments, environment, actions, Inheritance.NONE, flags);
            } finally {
                LibC.posix_spawn_file_actions_destroy(actions);
            }
        }
    }

    /** Starts a program in this process' group that reads from {@code input} and whose output is dropped. */
    static ChildProcess spawnSilent(List<byte[]> arguments, int input) throws SpawnException {
        byte[] nowhere = terminated("/dev/null".getBytes(StandardCharsets.US_ASCII));
        try (Memory actions = new Memory(FILE_ACTIONS_BYTES)) {
            LibC.posix_spawn_file_actions_init(actions);
            try {
                LibC.posix_spawn_file_actions_adddup2(actions, input, 0);
                LibC.posix_spawn_file_actions_addopen(actions, 1, nowhere, LibC.O_WRONLY, 0);
                LibC.posix_spawn_file_actions_addopen(actions, 2, nowhere, LibC.O_WRONLY, 0);
                return spawn(arguments.get(0), arguments, List.of(), actions, Inheritance.NONE, (short) 0);
            } finally {
                LibC.posix_spawn_file_actions_destroy(actions);
            }
        }
    }

    private static ChildProcess spawn(
            byte[] path,
            List<byte[]> arguments,
            List<byte[]> environment,
            Pointer actions,
            Inheritance inheritance,
            short flags)
            throws SpawnException {
        try (Memory attributes = new Memory(ATTRIBUTE_BYTES);
                Memory argumentBlock = strings(arguments);
                Memory environmentBlock = strings(environment)) {
            LibC.posix_spawnattr_init(attributes);
            try {
                closeOthers(actions, inheritance.descriptors());
                setSignals(attributes, inheritance, flags);
                int[] pid = new int[1];
                int error = asUser(
                        inheritance,
                        () -> LibC.posix_spawn(
                                pid, terminated(path), actions, attributes, argumentBlock, environmentBlock));
                if (error != 0) {
                    throw new SpawnException(error, errorText(error));
                }
                return new ChildProcess(pid[0]);
            } finally {
                LibC.posix_spawnattr_destroy(attributes);
            }
        }
    }

    /**
     * Closes in the child what it shall not inherit. The JVM does not mark all its files as close-on-exec, and its
     * threads may open one at any time: so numbers are closed, each that is open or may soon be.
     */
    private static void closeOthers(Pointer actions, Set<Integer> inherited) {
        int last = OwnProcess.openDescriptors().stream().reduce(0, Math::max) + OPENED_MEANWHILE;
        for (int descriptor = 0; descriptor <= last; descriptor++) {
            if (!inherited.contains(descriptor)) {
                LibC.posix_spawn_file_actions_addclose(actions, descriptor); // Refuses what is above the limit.
            }
        }
    }

    /**
     * The JVM blocks SIGQUIT in its threads and unblocks others. By itself, glibc's posix_spawn ignores the signals
     * that it uses itself, 32 and 33.
     */
    private static void setSignals(Memory attributes, Inheritance inheritance, short flags) {
        try (Memory set = new Memory(SIGNAL_SET_BYTES)) {
            set.clear();
            set.setLong(0, inheritance.blocked());
            LibC.posix_spawnattr_setsigmask(attributes, set);
            set.setLong(0, ~inheritance.ignored());
            LibC.posix_spawnattr_setsigdefault(attributes, set);
            int all = flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
            LibC.posix_spawnattr_setflags(attributes, (short) all);
        }
    }

    /**
     * Starts a program while this process has the user's limits and ignores what it inherited as ignored, because a
     * program inherits no handler. A signal that arrives meanwhile is lost, as it would be for the program.
     */
    private static synchronized int asUser(Inheritance inheritance, IntSupplier start) {
        Map<Integer, Memory> handlers = new LinkedHashMap<>();
        for (int signal = 1; signal <= SIGNALS; signal++) {
            if (inheritance.ignores(signal)) {
                handlers.put(signal, SignalHandlers.action(signal));
                LibC.signal(signal, SIG_IGN);
            }
        }
        OwnProcess.limitCore(true);
        try {
            return start.getAsInt();
        } finally {
            OwnProcess.limitCore(false);
            handlers.forEach((signal, handler) -> LibC.sigaction(signal, handler, Pointer.NULL));
        }
    }

    /** Stores texts as a null-terminated array of pointers, followed by the texts. */
    private static Memory strings(List<byte[]> texts) {
        long size = 8L * (texts.size() + 1);
        for (byte[] text : texts) {
            size += text.length + 1;
        }
        Memory block = new Memory(size);
        long at = 8L * (texts.size() + 1);
        for (int i = 0; i < texts.size(); i++) {
            byte[] text = texts.get(i);
            block.setPointer(8L * i, block.share(at));
            block.write(at, text, 0, text.length);
            block.setByte(at + text.length, (byte) 0);
            at += text.length + 1;
        }
        block.setPointer(8L * texts.size(), Pointer.NULL);
        return block;
    }

    private static byte[] terminated(byte[] text) {
        return java.util.Arrays.copyOf(text, text.length + 1);
    }

    private static String errorText(int errno) {
        return switch (errno) {
            case 1 -> "Operation not permitted";
            case SpawnException.ENOENT -> "No such file or directory";
            case 7 -> "Argument list too long";
            case SpawnException.ENOEXEC -> "Exec format error";
            case 11 -> "Resource temporarily unavailable";
            case 12 -> "Cannot allocate memory";
            case 13 -> "Permission denied";
            case 20 -> "Not a directory";
            case 26 -> "Text file busy";
            default -> "error " + errno;
        };
    }

    /** Returns the process id. */
    public int pid() {
        return pid;
    }

    /** Waits for the process to end and leaves it as a zombie, so that its last counters can be read. */
    public End awaitEnd() {
        byte[] info = new byte[SIGNAL_SET_BYTES];
        while (LibC.waitid(LibC.P_PID, pid, info, LibC.WEXITED | LibC.WNOWAIT) != 0) {
            if (Native.getLastError() != LibC.EINTR) {
                return new End(1, false); // Reaped by another thread: its exit code is lost.
            }
        }
        return new End(info[INFO_STATUS] & 0xff, info[INFO_CODE] != CLD_EXITED);
    }

    /** Reaps the zombie and returns the CPU time, in ns, of the process and of all descendants it waited for. */
    public long reap() {
        long[] usage = new long[32];
        while (LibC.wait4(pid, new int[1], 0, usage) < 0) {
            if (Native.getLastError() != LibC.EINTR) {
                return 0;
            }
        }
        return (usage[0] + usage[2]) * 1_000_000_000L + (usage[1] + usage[3]) * 1_000L;
    }

    /** Sends a signal to the process group of a background program. */
    public void signalGroup(int number) {
        LibC.kill(-pid, number);
    }

    /** Sends a signal to the process alone. */
    public void signal(int number) {
        LibC.kill(pid, number);
    }
}

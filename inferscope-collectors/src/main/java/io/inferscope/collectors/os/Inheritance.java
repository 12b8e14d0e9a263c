package io.inferscope.collectors.os;

import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * What this process inherited, where the JVM changes it: a program that it starts shall have all of it, as if the user
 * had started the program.
 *
 * @param descriptors the descriptors that the user passed on; a program that is started has no others
 * @param ignored the ignored signals, signal n as bit n - 1
 * @param blocked the blocked signals
 * @param output a descriptor of the user's standard output
 */
public record Inheritance(Set<Integer> descriptors, long ignored, long blocked, int output) {
    /** Of a background program of InferScope's own. */
    public static final Inheritance NONE = new Inheritance(Set.of(0, 1, 2), 0, 0, 1);

    /** Set by the launcher: the names of the signals that it found ignored. The JVM has taken over some of them. */
    private static final String IGNORED = "inferscope.child.ignored";

    /** Set by the launcher: which memory a core dump holds (core(5)). The JVM adds to it. */
    private static final String CORE_FILTER = "inferscope.child.coredump_filter";

    private static final int SIGCHLD = 17;
    private static final int SIGCANCEL = 32;
    private static final int FIRST_FREE = 3;

    /**
     * Signals that are never ignored, not even briefly: the JVM itself works by SIGILL, SIGTRAP, SIGBUS and SIGSEGV, and
     * a parent that ignores SIGCHLD does not hear how its child ended.
     */
    private static final long NEEDED = bit(4) | bit(5) | bit(7) | bit(11) | bit(SIGCHLD);

    private static final int FIRST_REAL_TIME = 34; // glibc keeps 32 and 33 for itself.
    private static final int LAST_SIGNAL = 64;

    /**
     * Reads it. To be called before any file is opened and any signal is handled. Until {@link #giveOutputBack}, this
     * process's own standard output is standard error: there, a JVM that crashes writes why, even if told otherwise.
     */
    public static Inheritance read() {
        Set<Integer> descriptors = OwnProcess.inheritedDescriptors();
        long ignored = 0;
        long blocked = 0; // The process's first thread only waits for the JVM's, so it has the mask that it began with.
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"), StandardCharsets.ISO_8859_1)) {
                ignored |= mask(line, "SigIgn:");
                blocked |= mask(line, "SigBlk:");
            }
            String filter = System.getProperty(CORE_FILTER, "");
            if (!filter.isEmpty()) {
                Files.writeString(Path.of("/proc/self/coredump_filter"), "0x" + filter);
            }
        } catch (IOException | NumberFormatException unknown) {
            // Then the program has the JVM's.
        }
        for (String name : System.getProperty(IGNORED, "").split(" ", -1)) {
            ignored |= bit(number(name));
        }
        if ((ignored & bit(SIGCANCEL)) != 0) {
            ignored |= bit(SIGCANCEL + 1); // SIGSETXID: glibc has taken it over. posix_spawn ignores both.
        }
        if ((ignored & bit(SIGCHLD)) != 0) {
            LibC.signal(SIGCHLD, Pointer.NULL); // SIG_DFL
        }
        return new Inheritance(descriptors, ignored & ~NEEDED, blocked, moveOutput(descriptors));
    }

    private static int moveOutput(Set<Integer> descriptors) {
        int output = descriptors.containsAll(Set.of(1, 2)) ? LibC.fcntl(1, LibC.F_DUPFD_CLOEXEC, FIRST_FREE) : -1;
        return output > 1 && LibC.dup2(2, 1) == 1 ? output : 1;
    }

    /** Makes the user's standard output this process's own: the program has ended, and nothing can get into its output. */
    public void giveOutputBack() {
        LibC.dup2(output, 1);
    }

    /** Returns whether a signal was ignored. */
    public boolean ignores(int signal) {
        return (ignored & bit(signal)) != 0;
    }

    private static long mask(String line, String key) {
        return line.startsWith(key)
                ? Long.parseUnsignedLong(line.substring(key.length()).strip(), 16)
                : 0;
    }

    private static long bit(int signal) {
        return signal > 0 ? 1L << (signal - 1) : 0;
    }

    /** Returns the number of a signal by bash's name for it, such as INT, RTMIN+2 or RTMAX-1; 0 if there is none. */
    static int number(String name) {
        if (name.startsWith("RTMIN") || name.startsWith("RTMAX")) {
            String offset = name.substring("RTMIN".length());
            return (name.startsWith("RTMIN") ? FIRST_REAL_TIME : LAST_SIGNAL)
                    + (offset.isEmpty() ? 0 : Integer.parseInt(offset));
        }
        return name.isEmpty() ? 0 : SignalHandlers.number(name);
    }
}

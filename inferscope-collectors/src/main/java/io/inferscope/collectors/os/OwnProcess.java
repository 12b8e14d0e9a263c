package io.inferscope.collectors.os;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The properties of InferScope's own process that a child inherits, or must not inherit. */
public final class OwnProcess {
    private static final int SIGQUIT = 3;
    private static final int RLIMIT_CORE = 4;
    private static final int RLIMIT_NOFILE = 7;

    /** Set by the launcher, which allows no core dump of InferScope's own JVM: the user's soft limit, in bytes. */
    private static final String CORE_LIMIT = "inferscope.child.core_limit";

    private OwnProcess() {}

    /**
     * Returns the user's environment, byte for byte: {@link System#getenv} decodes it and loses bytes that are not text.
     */
    public static List<byte[]> environment() {
        List<byte[]> entries = environ();
        Map<String, String> variables = new LinkedHashMap<>(); // ISO-8859-1 keeps every byte.
        for (byte[] entry : entries) {
            String[] parts = new String(entry, StandardCharsets.ISO_8859_1).split("=", 2);
            variables.putIfAbsent(parts[0], parts.length < 2 ? "" : parts[1]);
        }
        if (!UserEnvironment.restore(variables)) {
            return entries;
        }
        return variables.entrySet().stream()
                .map(entry -> (entry.getKey() + '=' + entry.getValue()).getBytes(StandardCharsets.ISO_8859_1))
                .toList();
    }

    private static List<byte[]> environ() {
        List<byte[]> entries = new ArrayList<>();
        Pointer variable = NativeLibrary.getInstance(Platform.C_LIBRARY_NAME).getGlobalVariableAddress("environ");
        Pointer array = variable.getPointer(0);
        for (long i = 0; array != null && array.getPointer(i) != null; i += 8) {
            Pointer entry = array.getPointer(i);
            entries.add(entry.getByteArray(0, (int) entry.indexOf(0, (byte) 0)));
        }
        return entries;
    }

    /** Returns whether a program has file capabilities (capabilities(7)). */
    public static boolean hasCapabilities(byte[] program) {
        byte[] path = Arrays.copyOf(program, program.length + 1);
        byte[] name = "security.capability\0".getBytes(StandardCharsets.US_ASCII);
        return LibC.getxattr(path, name, Pointer.NULL, 0) > 0;
    }

    /** Returns how many bytes a page of memory has: 4096 on x86-64, up to 65536 on aarch64 (sysconf(3)). */
    public static long pageBytes() {
        return LibC.sysconf(LibC.PAGE_SIZE);
    }

    /** Returns the words of this process' command line, byte for byte. */
    public static List<byte[]> commandLine() throws IOException {
        byte[] all = Files.readAllBytes(Path.of("/proc/self/cmdline"));
        List<byte[]> words = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < all.length; i++) {
            if (all[i] == 0) {
                words.add(java.util.Arrays.copyOfRange(all, start, i));
                start = i + 1;
            }
        }
        return words;
    }

    /**
     * Returns the descriptors that the user passed on: the open ones that are not the JVM's own, which may have the
     * number of a standard stream that was closed. To be called before any file is opened.
     */
    static Set<Integer> inheritedDescriptors() {
        Set<Integer> inherited = new HashSet<>();
        String own = "/proc/" + ProcessHandle.current().pid() + "/";
        String java = System.getProperty("java.home", "");
        String classPath = System.getProperty("java.class.path", "");
        for (int descriptor : openDescriptors()) {
            String target = target(descriptor);
            boolean ours = target.isEmpty()
                    || target.startsWith(java + "/")
                    || target.endsWith(".jsa")
                    || target.endsWith(".aot")
                    || (target.endsWith(".jar") && classPath.contains(target))
                    || target.startsWith(own);
            if (!ours) {
                inherited.add(descriptor);
            }
        }
        return inherited;
    }

    /** Returns the open descriptors, unordered; none if they are not known. */
    static List<Integer> openDescriptors() {
        List<Integer> open = new ArrayList<>();
        String[] names = new File("/proc/self/fd").list();
        for (String name : names == null ? new String[0] : names) {
            open.add(Integer.parseInt(name));
        }
        return open;
    }

    private static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
        } catch (IOException closed) {
            return "";
        }
    }

    /**
     * Ignores Ctrl-\: the JVM would print its threads to the program's standard output. To be called after the child
     * was started.
     */
    public static void ignoreQuit() {
        LibC.signal(SIGQUIT, new Pointer(1)); // SIG_IGN
    }

    /**
     * Sets the soft limit of core dumps to the user's, or back to that of InferScope's own JVM. The program may run, and
     * kill this JVM, before the limit is back, so until then this process is not dumpable. An exec makes it so again.
     */
    static void limitCore(boolean users) {
        String limit = System.getProperty(CORE_LIMIT, "");
        long[] limits = new long[2];
        if (!limit.isEmpty() && LibC.getrlimit(RLIMIT_CORE, limits) == 0) {
            limits[0] = users ? (limit.equals("unlimited") ? -1 : Long.parseLong(limit)) : 0;
            if (users) {
                LibC.prctl(LibC.PR_SET_DUMPABLE, 0, 0, 0, 0);
            }
            LibC.setrlimit(RLIMIT_CORE, limits);
            if (!users) {
                LibC.prctl(LibC.PR_SET_DUMPABLE, 1, 0, 0, 0);
            }
        }
    }

    /**
     * Raises the limit of open descriptors as far as allowed: sampling keeps three per thread. To be called after the
     * child was started.
     */
    public static void raiseDescriptorLimit() {
        long[] limits = new long[2];
        if (LibC.getrlimit(RLIMIT_NOFILE, limits) == 0 && limits[0] != limits[1]) {
            limits[0] = limits[1];
            LibC.setrlimit(RLIMIT_NOFILE, limits);
        }
    }
}

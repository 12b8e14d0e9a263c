package io.inferscope.collectors.python;

import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.collectors.os.MemoryBatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes a running CPython, 3.14 or later, execute a script at the main thread's next safe point, like {@code sys.remote_exec}, by
 * the protocol for external tools (PEP 768; Python's documentation, "Remote debugging attachment protocol"). The
 * offsets are in {@code _Py_DebugOffsets}.
 */
public final class RemoteScript {
    private static final int OLDEST = 14;
    private static final int PLEASE_STOP = 1 << 5; // _PY_EVAL_PLEASE_STOP_BIT, pycore_ceval.h
    private static final int MAX_INTERPRETERS = 64;

    /** Words of _Py_DebugOffsets: runtime, interpreter (pycore_debug_offsets.h). */
    private static final int HEAD = 5;

    private static final int ID = 7;
    private static final int NEXT = 8;
    private static final int MAIN_THREAD = 10;

    /** Words of debugger_support, at the end of _Py_DebugOffsets: from {@link #support} on. */
    private static final int EVAL_BREAKER = 0;

    private static final int SUPPORT = 1;
    private static final int ENABLED = 2;
    private static final int PENDING = 3;
    private static final int PATH = 4;
    private static final int PATH_BYTES = 5;
    private static final int WORDS = 6;

    private final int pid;
    private final RemoteReader reader;
    private final long[] words;
    private final long thread;
    private final String version;

    private RemoteScript(int pid, RemoteReader reader, long[] words, long thread, String version) {
        this.pid = pid;
        this.reader = reader;
        this.words = words;
        this.thread = thread;
        this.version = version;
    }

    /** Returns the access to a process; null if it runs no CPython from 3.14 on, or refuses remote scripts. */
    public static @Nullable RemoteScript into(int pid) {
        RemoteReader reader = new RemoteReader(new LinuxMemory());
        try {
            PythonRuntime runtime = new RuntimeLocator(reader).locate(pid);
            if (runtime == null || runtime.layout().minor() < OLDEST) {
                return null;
            }
            int support = support(runtime.layout().minor());
            long[] head = words(reader, pid, runtime.address(), support + WORDS);
            long[] words = Arrays.copyOfRange(head, support, support + WORDS);
            long interpreter = main(reader, pid, head, runtime.address());
            boolean enabled = interpreter != 0 && (int) reader.getLong(pid, interpreter + words[ENABLED]) == 1;
            long thread = enabled ? reader.getLong(pid, interpreter + head[MAIN_THREAD]) : 0;
            return thread == 0 ? null : new RemoteScript(pid, reader, words, thread, runtime.version());
        } catch (IOException | UnreadableRuntime | RuntimeException unreadable) {
            return null;
        }
    }

    private static int support(int minor) {
        return minor == 14 ? 89 : 105;
    }

    private static long[] words(RemoteReader reader, int pid, long address, int count) throws UnreadableRuntime {
        MemoryBatch batch = reader.read(pid, address, count * 8);
        long[] words = new long[count];
        for (int i = 0; i < count; i++) {
            words[i] = batch.getLong(i * 8);
        }
        return words;
    }

    /** Returns the main interpreter, whose id is 0; newer ones come before it in the list. */
    private static long main(RemoteReader reader, int pid, long[] head, long runtime) throws UnreadableRuntime {
        long interpreter = reader.getLong(pid, runtime + head[HEAD]);
        for (int i = 0; interpreter != 0 && i < MAX_INTERPRETERS; i++) {
            if (reader.getLong(pid, interpreter + head[ID]) == 0) {
                return interpreter;
            }
            interpreter = reader.getLong(pid, interpreter + head[NEXT]);
        }
        return 0;
    }

    /** Returns the interpreter's version, such as 3.14.3. */
    public String version() {
        return version;
    }

    /** Returns whether a path is short enough for the interpreter's buffer. */
    public boolean takes(Path script) {
        return script.toString().getBytes(StandardCharsets.UTF_8).length < words[PATH_BYTES];
    }

    /**
     * Requests the execution of a script, which must exist until it was executed or {@link #withdraw withdrawn}.
     * Returns why this is not possible, empty on success.
     */
    public String ask(Path script) {
        byte[] path = script.toString().getBytes(StandardCharsets.UTF_8);
        long support = thread + words[SUPPORT];
        long breaker = thread + words[EVAL_BREAKER];
        try {
            if ((int) reader.getLong(pid, support + words[PENDING]) != 0) {
                return "another script is about to be executed in it";
            }
            int error = LinuxMemory.write(pid, support + words[PATH], Arrays.copyOf(path, path.length + 1));
            error = error == 0 ? LinuxMemory.write(pid, support + words[PENDING], new byte[] {1, 0, 0, 0}) : error;
            byte bits = (byte) (reader.getLong(pid, breaker) | PLEASE_STOP);
            error = error == 0 ? LinuxMemory.write(pid, breaker, new byte[] {bits}) : error;
            return error == 0 ? "" : "its memory cannot be written to (errno " + -error + ")";
        } catch (UnreadableRuntime gone) {
            return gone.why();
        }
    }

    /** Takes back a script that was not executed so far. */
    public void withdraw() {
        LinuxMemory.write(pid, thread + words[SUPPORT] + words[PENDING], new byte[4]);
    }
}

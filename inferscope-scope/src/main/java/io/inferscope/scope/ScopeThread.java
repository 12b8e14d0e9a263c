package io.inferscope.scope;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A thread's id and name for the recorder, determined once per thread. */
final class ScopeThread {
    static final ScopeThread NONE = new ScopeThread(0, "");

    private static final ThreadLocal<ScopeThread> CURRENT = ThreadLocal.withInitial(ScopeThread::find);
    private static final Path THREAD_SELF = Path.of("/proc/thread-self");

    /** Kernel thread id; the Java thread's id if there is no {@code /proc}. */
    final int tid;

    final String name;

    /** How many scopes are open. */
    int depth;

    /** The recorder that has already stored this thread's name. Only this thread reads and writes the field. */
    Recorder announcedTo = Recorder.OFF;

    private ScopeThread(int tid, String name) {
        this.tid = tid;
        this.name = name;
    }

    static ScopeThread current() {
        return CURRENT.get();
    }

    private static ScopeThread find() {
        return new ScopeThread(kernelThreadId(), Thread.currentThread().getName());
    }

    /** Reads the id from the link {@code /proc/thread-self -> <pid>/task/<tid>} (proc(5)). */
    @SuppressWarnings({"deprecation", "removal"}) // Thread.threadId exists from JDK 19 on.
    private static int kernelThreadId() {
        try {
            Path target = Files.readSymbolicLink(THREAD_SELF);
            return Integer.parseInt(target.getFileName().toString());
        } catch (IOException | RuntimeException noProc) {
            return (int) Thread.currentThread().getId();
        }
    }
}

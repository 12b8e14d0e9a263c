package io.inferscope.collectors.jvm;

import io.inferscope.collectors.os.Signals;

/**
 * Whether a process is a HotSpot JVM that can be asked to record. SIGQUIT would end a process that is not a JVM or not
 * ready yet; a JVM that forbids attaching would print a thread dump on its standard output. So every condition is
 * checked first.
 */
final class HotSpot {
    /** The thread that a JVM starts last, cut to 15 bytes: JDK, Threads::create_vm and WatcherThread. */
    private static final String LAST_STARTED = "VM Periodic Tas";

    /** How far a process has come. */
    enum State {
        /** Not a HotSpot JVM. */
        NONE,
        /** A HotSpot JVM that is still starting. */
        STARTING,
        /** A HotSpot JVM that can be asked. */
        READY
    }

    private HotSpot() {}

    static State of(ProcessView process) {
        if (!process.maps("libjvm.so") || process.maps("libj9vm")) {
            return State.NONE;
        }
        return catches(process, Signals.QUIT) && process.hasThread(LAST_STARTED) ? State.READY : State.STARTING;
    }

    /** Returns why the JVM must not be asked, empty if it may. Nothing that is read is kept. */
    static String forbidden(ProcessView process) {
        return JvmArguments.forbidding(process.words("cmdline"), process.words("environ"), process::namedFile);
    }

    private static boolean catches(ProcessView process, int signal) {
        try {
            return (Long.parseUnsignedLong(process.status("SigCgt"), 16) >>> (signal - 1) & 1) == 1;
        } catch (NumberFormatException unknown) {
            return false;
        }
    }
}

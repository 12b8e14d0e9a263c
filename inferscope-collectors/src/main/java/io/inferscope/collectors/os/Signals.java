package io.inferscope.collectors.os;

/** Signals sent to other processes. */
public final class Signals {
    /** The signal on which a JVM checks whether a tool wants to attach. */
    public static final int QUIT = 3;

    private Signals() {}

    /** Sends a signal; returns false when that is not possible. */
    public static boolean send(int pid, int signal) {
        return LibC.kill(pid, signal) == 0;
    }
}

package io.inferscope.collectors.procfs;

import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.files.KnowledgeTable;
import org.jspecify.annotations.Nullable;

/** The reason of a thread's wait, by the system call it sleeps in: {@code blocking-calls.tsv}. */
public final class SystemCalls {
    /** The meaning of a call's arguments for the wait. */
    public enum Arguments {
        /** Nothing. */
        SILENT,
        /** The first one is a descriptor. */
        DESCRIPTOR,
        /** The first one is the descriptor of a socket. */
        SOCKET,
        /** Address and number of {@code struct pollfd}. */
        POLL,
        /** Number of bits, and addresses of three sets of them. */
        SELECT,
        /** The first one is an epoll descriptor. */
        EPOLL,
        /** futex(2): address, operation, value. */
        FUTEX,
        /** futex_wait(2): address, value. */
        FUTEX_WAIT,
        /** futex_waitv(2): address of the first {@code struct futex_waitv}. */
        FUTEX_VECTOR
    }

    /** One blocking call, with the reason that applies if its arguments show no better one. */
    public record Call(String name, WaitReason reason, Arguments arguments) {}

    private static final int MAX_NUMBER = 512;

    private final @Nullable Call[] calls = new Call[MAX_NUMBER];

    private SystemCalls(int column) {
        KnowledgeTable.read(SystemCalls.class, "blocking-calls.tsv", cells -> cells).stream()
                .filter(cells -> !cells[column].equals("-"))
                .forEach(cells -> calls[Integer.parseInt(cells[column])] =
                        new Call(cells[2], WaitReason.valueOf(cells[3]), Arguments.valueOf(cells[4])));
    }

    /** Returns the table of an architecture as {@code os.arch} names it. */
    public static SystemCalls of(String architecture) {
        return new SystemCalls(architecture.equals("aarch64") ? 1 : 0);
    }

    /** Returns a call, null if it is not known to block. */
    @Nullable
    public Call call(int number) {
        return number >= 0 && number < MAX_NUMBER ? calls[number] : null;
    }
}

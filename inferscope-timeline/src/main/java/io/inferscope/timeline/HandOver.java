package io.inferscope.timeline;

import java.util.Arrays;

/**
 * The means of a hand-over from one thread to another. The order is that of docs/spool-format.md and must not change.
 */
public enum HandOver {
    /** A queue. */
    QUEUE,
    /** A pipe. */
    PIPE,
    /** A socket. */
    SOCKET,
    /** The result of a future. */
    FUTURE,
    /** An event or a condition. */
    EVENT,
    /** A lock. */
    LOCK,
    /** The start of a thread or a process. */
    START;

    /** What is handed over, as far as the means do not tell it. The order must not change. */
    public enum What {
        /** What the means tell. */
        OTHER(""),
        /** A call for an executor's threads. Other futures are results for waiting callers. */
        CALL("Executor.submit"),
        /** Room in a queue. */
        ROOM("Queue: room"),
        /** All items of a queue are done. */
        ALL_DONE("Queue: all done"),
        /** The start of the thread that sends a queue's items to another process. */
        FEEDER("multiprocessing.Queue: feeder"),
        /** The end of a thread. */
        END("Thread.join"),
        /** An event that threads wait for. */
        SET("Event"),
        /** Another thread wakes an event loop. */
        WAKE_UP("asyncio wake-up"),
        /** Data in shared memory, which the taker polled, mostly on a CPU. */
        SHARED_MEMORY("shared memory"),
        /** What autograd has computed for its waiting caller. */
        GRADIENTS("");

        private static final What[] BY_ORDINAL = values();

        final String word;

        /** Takes the probe's word, empty where no probe records it. */
        What(String word) {
            this.word = word;
        }

        /** Returns what a word of the probe says. */
        public static What of(String word) {
            return Arrays.stream(BY_ORDINAL)
                    .filter(what -> what.word.equals(word))
                    .findFirst()
                    .orElse(OTHER);
        }

        /** Stores that it is handed over at a row. */
        public void store(TimelineBuilder builder, int row) {
            if (this != OTHER) {
                builder.attribute(row, Attribute.HANDED_OVER, ordinal());
            }
        }

        /** Returns what is handed over at a row. */
        public static What of(Timeline timeline, int row) {
            long value = timeline.attribute(row, Attribute.HANDED_OVER);
            return value >= 0 && value < BY_ORDINAL.length ? BY_ORDINAL[(int) value] : OTHER;
        }
    }

    private static final HandOver[] VALUES = values();

    /** Returns the means with a wire value of docs/spool-format.md; {@link #EVENT} for an unknown one. */
    public static HandOver of(long wireValue) {
        return wireValue >= 0 && wireValue < VALUES.length ? VALUES[(int) wireValue] : EVENT;
    }
}

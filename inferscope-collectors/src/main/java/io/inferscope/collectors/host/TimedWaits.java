package io.inferscope.collectors.host;

/**
 * Decides whether one thread's waits with a timeout end by it. An event loop that waits for nothing but a wake-up by
 * another thread (an eventfd, a pipe), with the time of its next timer as timeout, sleeps until that timer: gevent's
 * and libuv's do. A queue's consumer calls the same functions, but is woken before.
 *
 * <pre>
 *   readings      |          |  blocked |  blocked |    ran |
 *   began in      [----------]                              the wait ended before the last reading:
 *   timeout        ----------------------------&gt;            it may have run out
 * </pre>
 */
final class TimedWaits {
    private static final int MOST_VOTES = 4;

    /** Bounds of the begin of the current wait. */
    private long notBeforeNs;

    private long begunByNs;

    /** Its timeout, 0 for none. */
    private long timeoutNs;

    private long lastBlockedNs;

    /** Waits that ended by their timeout minus waits that ended before. */
    private int votes;

    /** Begins a wait without a timeout ({@code 0}) or with one. */
    void begin(long notBefore, long begunBy, long timeout) {
        notBeforeNs = notBefore;
        begunByNs = begunBy;
        lastBlockedNs = begunBy;
        timeoutNs = timeout;
    }

    /** Notes that the current wait continues. */
    void goesOn(long nowNs) {
        lastBlockedNs = nowNs;
    }

    /** Ends the current wait, if any. Its timeout must be longer than the uncertainty of its begin and end. */
    void end(long nowNs) {
        long doubtNs = nowNs - lastBlockedNs + begunByNs - notBeforeNs;
        if (timeoutNs > doubtNs) {
            boolean ranOut = notBeforeNs + timeoutNs <= nowNs;
            votes = Math.max(-MOST_VOTES, Math.min(MOST_VOTES, votes + (ranOut ? 1 : -1)));
        }
        timeoutNs = 0;
    }

    /** Returns whether most waits ended by their timeout. */
    boolean runOut() {
        return votes > 0;
    }
}

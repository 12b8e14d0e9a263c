package io.inferscope.analyzer.tables;

import java.util.List;

/**
 * One request with its answer.
 *
 * @param name method and route, the engine, or the call that generates
 * @param process the process that answered; empty if not known
 * @param startNs arrival
 * @param endNs end of the answer
 * @param thread the track of the thread that served it, -1 when not known
 * @param firstNs from the arrival to the first token, -1 when not recorded
 * @param waitedNs from the arrival to the call of what answers it, -1 when not recorded
 * @param tokens tokens or chunks that came one after the other, 0 when not recorded
 * @param items tokens or chunks of all its sequences together, 0 when not recorded
 * @param gapsNs from each recorded token to the next, beginning with the first token; empty when single tokens are not
 *     recorded
 */
public record Answer(
        String name,
        String process,
        long startNs,
        long endNs,
        int thread,
        long firstNs,
        long waitedNs,
        long tokens,
        long items,
        List<Long> gapsNs) {
    public Answer {
        gapsNs = List.copyOf(gapsNs);
    }

    /** Returns its length, in ns. */
    public long durationNs() {
        return endNs - startNs;
    }

    /** Returns the mean time per token after the first one, -1 if not recorded. */
    long perTokenNs() {
        return firstNs >= 0 && tokens > 1 ? (durationNs() - firstNs) / (tokens - 1) : -1;
    }
}

package io.inferscope.analyzer.model;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What limits the program in its judged part.
 *
 * @param bound the limit
 * @param claim one sentence
 * @param marginPoints change of a share, in percentage points, that would give the next verdict; below 5 the claim
 *     names both
 * @param next the next verdict; null if the trust gate withholds the verdict, and in reports of earlier versions
 * @param reasons the figures it is based on, or why it is withheld and what to record next time
 */
public record BoundVerdict(
        Bound bound,
        String claim,
        double marginPoints,
        @Nullable Bound next,
        List<Reason> reasons) {
    public BoundVerdict {
        reasons = List.copyOf(reasons);
    }

    /** Returns the reasons as sentences. */
    public List<String> because() {
        return reasons.stream().flatMap(Reason::sentences).toList();
    }

    /** Returns whether a withheld verdict already gives the remedy with which an advice begins. */
    public boolean asksFor(String advice) {
        return reasons.stream()
                .flatMap(reason -> Stream.ofNullable(reason.remedy()))
                .anyMatch(remedy -> advice.regionMatches(true, 0, remedy, 0, remedy.length()));
    }

    /** What can limit a program. */
    public enum Bound implements HasStableId {
        /** The recording is not good enough for a verdict. */
        WITHHELD,
        /** The GPU computes most of the time: healthy. */
        GPU,
        /** A program without device work: its model computes most of the time. */
        COMPUTE,
        WAITING,
        /** Copies. */
        COPY,
        COMMUNICATION,
        /** Host threads. */
        CPU,
        /** Nothing dominates. */
        BALANCED;
    }
}

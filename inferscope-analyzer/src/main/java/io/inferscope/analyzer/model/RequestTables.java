package io.inferscope.analyzer.model;

import java.util.List;

/** Where requests' time went, and what lay between their tokens. docs/steps.md says how they are found. */
public final class RequestTables {
    private RequestTables() {}

    /**
     * Where the time of requests of one sort went, from arrival to the end of the answer.
     *
     * @param name method and route, the engine, or the call that generates
     * @param process who answered
     * @param count how many are accounted for
     * @param medianFirstNs median time to the first token, -1 where not recorded; p95 likewise
     * @param medianPerTokenNs median over the requests of the mean time between two tokens, -1 where not recorded; p95 likewise
     * @param parts the summed time by what it was spent on, largest first
     * @param tokens the time between single tokens, {@link TokenFigures#NONE} where these are not recorded
     * @param ledger the summed time by ledger class
     */
    public record RequestTime(
            String name,
            String process,
            long count,
            long medianFirstNs,
            long p95FirstNs,
            long medianPerTokenNs,
            long p95PerTokenNs,
            List<RequestPart> parts,
            TokenFigures tokens,
            Ledger ledger) {
        /** Keeps the parts as they are. */
        public RequestTime {
            parts = List.copyOf(parts);
        }
    }

    /**
     * A part of requests' time.
     *
     * @param part {@code queue}, {@code tokenize}, {@code schedule}, {@code prefill}, {@code decode}, {@code model}, {@code detokenize},
     *     {@code network} or {@code other}
     * @param ns the summed time
     */
    public record RequestPart(String part, long ns) {}

    /**
     * The time from one token to the next, over all requests of one sort.
     *
     * @param count how many such times were recorded; 0 for none, the others are -1 then
     * @param medianNs median of them; p95, p99 and max likewise
     * @param slowLimitNs what takes longer is a slow token: 1.5 times the median
     * @param slowCount how many are slow
     * @param slowMoreNs how much longer than the median they took, summed
     * @param causes what they took more of than the other tokens did, largest first; empty where the thread is not known
     */
    public record TokenFigures(
            long count,
            long medianNs,
            long p95Ns,
            long p99Ns,
            long maxNs,
            long slowLimitNs,
            long slowCount,
            long slowMoreNs,
            List<SlowCause> causes) {
        /** Single tokens are not recorded. */
        public static final TokenFigures NONE = new TokenFigures(0, -1, -1, -1, -1, -1, 0, 0, List.of());

        /** Keeps the causes as they are. */
        public TokenFigures {
            causes = List.copyOf(causes);
        }
    }

    /**
     * What slow tokens took more of.
     *
     * @param cause the ledger class
     * @param moreNs the time beyond what as many other tokens take, over all slow tokens
     * @param where {@code file:line function > activity} with most of their time in that class; empty when not recorded
     */
    public record SlowCause(LedgerClass cause, long moreNs, String where) {}
}

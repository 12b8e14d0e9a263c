package io.inferscope.analyzer.model;

import static io.inferscope.analyzer.model.ColumnKind.CLASS;
import static io.inferscope.analyzer.model.ColumnKind.COUNT;
import static io.inferscope.analyzer.model.ColumnKind.NAME;
import static io.inferscope.analyzer.model.ColumnKind.NAME_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NS;
import static io.inferscope.analyzer.model.ColumnKind.NS_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.WORDS;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The time of requests by part, and the time between tokens. docs/steps.md describes how they are found. */
public final class RequestTables {
    private RequestTables() {}

    public static final TableId<RequestTime> REQUEST_TIME = new TableId<>("requestTime", RequestTime.class);

    /** The time of requests of one kind by part, from arrival to the end of the answer. */
    public record RequestTime(
            String name,
            String process,
            long count,
            @Nullable Long medianFirstNs,
            @Nullable Long p95FirstNs,
            @Nullable Long medianPerTokenNs,
            @Nullable Long p95PerTokenNs,
            List<RequestPart> parts,
            TokenFigures tokens,
            Ledger ledger)
            implements Row {
        /** Keeps the parts as they are. */
        public RequestTime {
            parts = List.copyOf(parts);
        }

        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "", name).doc("method and route, the engine, or the call that generates");
            to.add("process", NAME, "", process).doc("the process that answered");
            to.add("count", COUNT, "", count).doc("how many requests are accounted for");
            to.add("medianFirstNs", NS_OR_NONE, "", medianFirstNs).doc("median time to the first token");
            to.add("p95FirstNs", NS_OR_NONE, "", p95FirstNs).doc("95th percentile of that");
            to.add("medianPerTokenNs", NS_OR_NONE, "", medianPerTokenNs)
                    .doc("median over the requests of the mean time per token after the first");
            to.add("p95PerTokenNs", NS_OR_NONE, "", p95PerTokenNs).doc("95th percentile of that");
            to.derived("durationNs", NS, ledger.durationNs())
                    .doc("the requests' times from arrival to the end of the answer, summed");
            to.rows("parts", RequestPart.class, parts)
                    .doc("what that was spent on, largest first; sums to `durationNs`");
            to.part(TokenFigures.class, tokens);
            to.classes(ledger);
        }
    }

    /** A part of requests' time. */
    public record RequestPart(String part, long ns) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("part", WORDS, "", part)
                    .doc(
                            "`arrive` (until the handler is called), `queue`, `tokenize`, `schedule`, `prefill`, `decode`, `model`, `detokenize`, `serialize`, `sleep`, `network` or `other`");
            to.add("ns", NS, "", ns).doc("the summed time");
        }
    }

    /** The time from one token to the next, over all requests of one kind. */
    public record TokenFigures(
            long count,
            @Nullable Long medianNs,
            @Nullable Long p95Ns,
            @Nullable Long p99Ns,
            @Nullable Long maxNs,
            @Nullable Long slowLimitNs,
            long slowCount,
            long slowMoreNs,
            List<SlowCause> causes)
            implements Row {
        /** Single tokens are not recorded. */
        public static final TokenFigures NONE = new TokenFigures(0, null, null, null, null, null, 0, 0, List.of());

        /** Keeps the causes as they are. */
        public TokenFigures {
            causes = List.copyOf(causes);
        }

        @Override
        public void columns(Columns to) {
            to.add("tokenGaps", COUNT, "", count)
                    .doc("recorded times from one token to the next, of all these requests");
            to.add("medianTokenNs", NS_OR_NONE, "", medianNs).doc("median time from one token to the next");
            to.add("p95TokenNs", NS_OR_NONE, "", p95Ns).doc("95th percentile of that");
            to.add("p99TokenNs", NS_OR_NONE, "", p99Ns).doc("99th percentile of that");
            to.add("maxTokenNs", NS_OR_NONE, "", maxNs).doc("the longest such time");
            to.add("slowTokenLimitNs", NS_OR_NONE, "", slowLimitNs)
                    .doc("what takes longer is a slow token: 1.5 times the median");
            to.add("slowTokens", COUNT, "", slowCount).doc("how many are slow");
            to.add("slowTokensMoreNs", NS, "", slowMoreNs).doc("how much longer than the median they took, summed");
            to.rows("slowTokenCauses", SlowCause.class, causes)
                    .doc(
                            "the classes in which they took more time than the same number of other tokens, largest first");
        }
    }

    /** A cause of which slow tokens have more time. */
    public record SlowCause(LedgerClass cause, long moreNs, String where) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("cause", CLASS, "", cause).doc("the class of the ledger");
            to.add("moreNs", NS, "", moreNs)
                    .doc("the time beyond that of the same number of other tokens, over all slow tokens");
            to.add("where", NAME_OR_NONE, "", where)
                    .doc("`file:line function > activity` with most of their time in that class");
        }
    }
}

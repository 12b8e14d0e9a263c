package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reports models that read the whole text again for each token. */
final class NoKeyValueCacheRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Map<Integer, List<Forward>> forwards = forwards(analysis);
        if (forwards.isEmpty()) {
            return new Verdict.NotApplicable("no forward pass says how many tokens it read");
        }
        Reread reread = new Reread((int) limit(analysis, "steps"));
        forwards.values().forEach(reread::add);
        Ledger ledger = HostShare.judged(analysis);
        LedgerClass compute = analysis.devices().isEmpty() ? LedgerClass.CPU_MODEL_COMPUTE : LedgerClass.GPU_COMPUTE;
        long costNs = Math.round(ledger.ns(compute) * reread.share());
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(Units.percent(reread.share())
                    + " of the tokens that forward passes read were read by the one before");
        }
        return Verdict.found(
                finding(analysis, ledger, costNs, reread)
                        .causes(List.of(compute))
                        .advice(analysis)
                        .noGain(
                                "a step that reads one token still reads all weights: how long it would take is not in the recording"));
    }

    private FindingBuilder finding(Analysis analysis, Ledger ledger, long costNs, Reread reread) {
        Forward longest = reread.longest();
        return finding(ledger, costNs)
                .measure("steps", Units.count(reread.steps))
                .measure("again", Units.count(reread.tokensAgain))
                .measure("tokens", Units.count(reread.tokens))
                .place("reads the text again", analysis.where(longest.row), reread.stepsNs, reread.steps)
                .evidence(ForwardPasses.onTokens(analysis, longest.row));
    }

    /** Returns, by thread, the forward passes of the judged part with known tokens, in the order of time. */
    private static Map<Integer, List<Forward>> forwards(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<Integer, List<Forward>> forwards = new LinkedHashMap<>();
        ForwardPasses.judged(analysis).forEach(row -> {
            long tokens = timeline.attribute(row, Attribute.COUNTED);
            if (tokens >= 0) {
                forwards.computeIfAbsent(timeline.track(row), t -> new ArrayList<>())
                        .add(new Forward(row, tokens, timeline.durationNs(row)));
            }
        });
        return forwards;
    }

    private record Forward(int row, long tokens, long durationNs) {}

    /** Sums the tokens that are read again in runs of passes whose input grows by the same few tokens each time. */
    private static final class Reread {
        private final int leastSteps;
        private long tokens;
        private long tokensAgain;
        private long steps;
        private long stepsNs;
        private final List<Forward> found = new ArrayList<>();

        Reread(int leastSteps) {
            this.leastSteps = leastSteps;
        }

        /** Adds the passes of one thread. */
        void add(List<Forward> passes) {
            passes.forEach(p -> tokens += p.tokens);
            int start = 0;
            for (int i = 1; i <= passes.size(); i++) {
                if (i == passes.size() || !continues(passes, start, i)) {
                    take(passes.subList(start, i));
                    start = i;
                }
            }
        }

        /**
         * Whether a pass reads more tokens than the one before, by the same increase as that one, and most of them
         * again.
         */
        private static boolean continues(List<Forward> passes, int start, int i) {
            long more = passes.get(i).tokens - passes.get(i - 1).tokens;
            boolean evenly = i - start < 2 || more == passes.get(i - 1).tokens - passes.get(i - 2).tokens;
            return more > 0 && 2 * more <= passes.get(i).tokens && evenly;
        }

        private void take(List<Forward> text) {
            if (text.size() < leastSteps) {
                return;
            }
            for (int i = 1; i < text.size(); i++) {
                tokensAgain += text.get(i - 1).tokens;
                steps++;
                stepsNs += text.get(i).durationNs;
                found.add(text.get(i));
            }
        }

        double share() {
            return tokens == 0 ? 0 : (double) tokensAgain / tokens;
        }

        Forward longest() {
            return Collections.max(found, Order.comparingLong(Forward::durationNs));
        }
    }
}

package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The outermost forward passes that the probe recorded. */
final class ForwardPasses {
    static final String NAME = "forward ";

    private ForwardPasses() {}

    /** Returns the rows of those that began in the judged part, in the order of rows. */
    static IntStream judged(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        return Arrays.stream(analysis.rows(RowKind.ANNOTATION))
                .filter(row -> timeline.name(row).startsWith(NAME) && part.holds(timeline.startNs(row)));
    }

    /** Returns a pass that says how many tokens it read, as evidence. */
    static Evidence onTokens(Analysis analysis, int row) {
        Timeline timeline = analysis.timeline();
        return new Evidence.Range(
                timeline.name(row) + " on " + Units.count(timeline.attribute(row, Attribute.COUNTED)) + " tokens",
                timeline.startNs(row),
                timeline.endNs(row),
                Threads.label(timeline, timeline.track(row)),
                analysis.where(row));
    }

    /**
     * The outermost forward passes of the judged part, and those of models whose weights have a type. The probe counts such
     * a pass right after it began.
     *
     * @param all how many passes there are
     * @param allNs their time in sum
     * @param count how many are of models with weights of the type
     * @param ns their time in sum
     * @param longest the row of the longest one, -1 without any
     */
    record Typed(long all, long allNs, long count, long ns, int longest) {
        /** Returns the passes that a counter of the probe counted. */
        static Typed of(Analysis analysis, String counter) {
            Timeline timeline = analysis.timeline();
            List<Series> counted = analysis.counters().named(counter);
            Map<Integer, TreeMap<Long, Integer>> byProcess = new HashMap<>();
            int[] rows = judged(analysis).toArray();
            long allNs = 0;
            for (int row : rows) {
                allNs += timeline.durationNs(row);
                if (!counted.isEmpty()) {
                    int process = timeline.tracks().get(timeline.track(row)).parent();
                    byProcess.computeIfAbsent(process, p -> new TreeMap<>()).put(timeline.startNs(row), row);
                    byProcess.computeIfAbsent(-1, any -> new TreeMap<>()).put(timeline.startNs(row), row);
                }
            }
            long count = 0;
            long ns = 0;
            int longest = -1;
            for (Series series : counted) {
                TreeMap<Long, Integer> passes = byProcess.getOrDefault(series.process(), new TreeMap<>());
                for (int i = 0; i < series.size(); i++) {
                    Map.Entry<Long, Integer> pass = passes.floorEntry(series.timeNs(i));
                    if (pass != null && timeline.endNs(pass.getValue()) >= series.timeNs(i)) {
                        count++;
                        ns += timeline.durationNs(pass.getValue());
                        longest = longest < 0 || timeline.durationNs(pass.getValue()) > timeline.durationNs(longest)
                                ? pass.getValue()
                                : longest;
                    }
                }
            }
            return new Typed(rows.length, allNs, count, ns, longest);
        }

        /** Returns the computing that a ledger has for these passes, by their share of the time of all passes, in ns. */
        long costNs(Ledger ledger, LedgerClass compute) {
            long computeNs =
                    compute == LedgerClass.CPU_MODEL_COMPUTE ? Math.min(ledger.ns(compute), allNs) : ledger.ns(compute);
            return Math.round(computeNs * ((double) ns / Math.max(1, allNs)));
        }

        /** Returns how many of how many passes these are, for a sentence. */
        String ofAll() {
            return Units.count(count) + " of " + Units.count(all);
        }
    }
}

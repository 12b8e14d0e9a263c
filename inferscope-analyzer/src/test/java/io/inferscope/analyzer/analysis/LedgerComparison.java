package io.inferscope.analyzer.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.NaiveAccount.Time;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.timeline.Timeline;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Holds the product's ledgers against the naive ones, to the nanosecond; bounds, which are sums of fractions, to the nanosecond after rounding. */
final class LedgerComparison {
    private static final List<String> PARTS = List.of("head", "span", "tail", "window");

    private LedgerComparison() {}

    static void assertEqualToReference(Timeline timeline) {
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        NaiveLedger naive = naive(analysis, 64);

        assertThat(analysis.window()).isEqualTo(naive.window());
        assertSameLedgers("ledger of", deviceLedgers(analysis), naive.deviceLedgers());
        if (!analysis.phases().phases().isEmpty()) {
            assertThat(times(Ledger.sum(LedgerPart.WINDOW, analysis.phaseLedgers())))
                    .isEqualTo(times(analysis.ledger(LedgerPart.WINDOW).orElseThrow()));
        }
        assertSame("idle blame of device", blame(analysis), naive.blame());
        assertSameLedgers("ledger of track", threadLedgers(analysis, naive), naive.threadLedgers());
        analysis.threadLedger().ifPresent(l -> {
            Map<LedgerClass, Time> expected = naive.threadLedgers().get(analysis.subjectThread());
            assertThat(rounded(NaiveAccount.of(l), expected)).isEqualTo(expected);
        });
    }

    private static <K> void assertSameLedgers(
            String what, Map<K, Map<LedgerClass, Time>> actual, Map<K, Map<LedgerClass, Time>> expected) {
        Map<K, Map<LedgerClass, Time>> rounded = new LinkedHashMap<>();
        actual.forEach((key, ledger) -> rounded.put(key, rounded(ledger, expected.getOrDefault(key, Map.of()))));
        assertSame(what, rounded, expected);
    }

    /** Takes the expected bounds and estimates for those that differ by what rounding of doubles does. */
    private static Map<LedgerClass, Time> rounded(Map<LedgerClass, Time> ledger, Map<LedgerClass, Time> expected) {
        Map<LedgerClass, Time> rounded = new EnumMap<>(LedgerClass.class);
        ledger.forEach((of, time) -> {
            Time other = expected.getOrDefault(of, time);
            boolean sameBound = Math.abs(other.boundNs() - time.boundNs()) <= 1 + other.boundNs() / 1_000_000_000;
            boolean sameNs = time.estimated() && Math.abs(other.ns() - time.ns()) <= 1;
            rounded.put(
                    of,
                    new Time(
                            sameNs ? other.ns() : time.ns(),
                            time.estimated(),
                            sameBound ? other.boundNs() : time.boundNs()));
        });
        return rounded;
    }

    /** Errors of estimates are larger where a stretch is divided; times are not. */
    private static Map<LedgerClass, Long> times(Ledger ledger) {
        Map<LedgerClass, Long> times = new TreeMap<>();
        ledger.entries().forEach(entry -> times.put(entry.ledgerClass(), entry.ns()));
        return times;
    }

    private static <K, V> void assertSame(String what, Map<K, V> actual, Map<K, V> expected) {
        assertThat(actual.keySet()).isEqualTo(expected.keySet());
        expected.forEach((key, value) ->
                assertThat(actual.get(key)).as("%s %s", what, key).isEqualTo(value));
    }

    static NaiveLedger naive(Analysis analysis, int mostStamps) {
        return new NaiveLedger(analysis.timeline(), opinion(analysis), mostStamps);
    }

    /** Returns the product's opinion on what rows are. */
    static NaiveDevice.Opinion opinion(Analysis analysis) {
        return new NaiveDevice.Opinion(
                (row, sample, running) -> running
                        ? analysis.classifier().classifyRunning(row, sample)
                        : analysis.classifier().classify(row, sample),
                analysis.classifier()::classifyBlocked,
                analysis.classifier()::awaitedCompute,
                analysis.classifier()::isPlacedBySamples,
                analysis.classifier()::isCoarse,
                row -> isCommunication(analysis, row),
                analysis.classifier()::sawWaiting);
    }

    private static boolean isCommunication(Analysis analysis, int row) {
        return analysis.devices().stream().anyMatch(d -> d.isCommunication(row));
    }

    private static Map<String, Map<LedgerClass, Time>> deviceLedgers(Analysis analysis) {
        Map<String, Map<LedgerClass, Time>> ledgers = new TreeMap<>();
        for (Ledger ledger : analysis.ledgers()) {
            if (ledger.subject().startsWith("device ")
                    && PARTS.contains(ledger.part().id())) {
                ledgers.put(ledger.subject() + ", " + ledger.part().id(), NaiveAccount.of(ledger));
            }
        }
        return ledgers;
    }

    private static Map<String, Map<String, Long>> blame(Analysis analysis) {
        Map<String, Map<String, Long>> blame = new TreeMap<>();
        analysis.devices().forEach(d -> blame.put(d.id(), new TreeMap<>()));
        analysis.blameFigures()
                .forEach(f -> blame.get(f.device())
                        .merge(
                                String.join(
                                        " / ",
                                        f.phase().id(),
                                        f.thread(),
                                        f.cause().name()),
                                f.ns(),
                                Long::sum));
        return blame;
    }

    private static Map<Integer, Map<LedgerClass, Time>> threadLedgers(Analysis analysis, NaiveLedger naive) {
        Map<Integer, Map<LedgerClass, Time>> ledgers = new TreeMap<>();
        for (int track : naive.threadLedgers().keySet()) {
            Ledger.Builder time = new Ledger.Builder();
            analysis.threads()
                    .explain(
                            track,
                            analysis.window().startNs(),
                            analysis.window().endNs(),
                            piece -> time.add(piece.ledgerClass(), piece.ns(), piece.basis()));
            ledgers.put(
                    track,
                    NaiveAccount.of(time.build(
                            "track", LedgerPart.WINDOW, analysis.window().durationNs())));
        }
        return ledgers;
    }
}

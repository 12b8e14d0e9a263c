package io.inferscope.analyzer.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.NaiveAccount.Time;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Timeline;
import java.util.Map;
import java.util.TreeMap;

/** Holds the product's ledgers against the naive ones, to the nanosecond. */
final class LedgerComparison {
    private LedgerComparison() {}

    static void assertEqualToReference(Timeline timeline) {
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        NaiveLedger naive = naive(analysis, 64);

        assertThat(analysis.window()).isEqualTo(naive.window());
        assertSame("ledger of", deviceLedgers(analysis), naive.deviceLedgers());
        assertSame("idle blame of device", blame(analysis), naive.blame());
        assertSame("ledger of track", threadLedgers(analysis, naive), naive.threadLedgers());
        analysis.threadLedger()
                .ifPresent(l -> assertThat(NaiveAccount.of(l))
                        .isEqualTo(naive.threadLedgers().get(analysis.subjectThread())));
    }

    private static <K, V> void assertSame(String what, Map<K, V> actual, Map<K, V> expected) {
        assertThat(actual.keySet()).isEqualTo(expected.keySet());
        expected.forEach((key, value) ->
                assertThat(actual.get(key)).as("%s %s", what, key).isEqualTo(value));
    }

    static NaiveLedger naive(Analysis analysis, int mostStamps) {
        return new NaiveLedger(
                analysis.timeline(),
                new NaiveDevice.Opinion(
                        (row, sample, running) -> running
                                ? analysis.classifier().classifyRunning(row, sample)
                                : analysis.classifier().classify(row, sample),
                        analysis.classifier()::classifyBlocked,
                        analysis.classifier()::isPlacedBySamples,
                        analysis.classifier()::isCoarse,
                        row -> isCommunication(analysis, row)),
                mostStamps);
    }

    private static boolean isCommunication(Analysis analysis, int row) {
        return analysis.devices().stream().anyMatch(d -> d.isCommunication(row));
    }

    private static Map<String, Map<LedgerClass, Time>> deviceLedgers(Analysis analysis) {
        Map<String, Map<LedgerClass, Time>> ledgers = new TreeMap<>();
        for (Ledger ledger : analysis.ledgers()) {
            if (ledger.subject().startsWith("device ")) {
                ledgers.put(ledger.subject() + ", " + ledger.part(), NaiveAccount.of(ledger));
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
                                        " / ", f.phase(), f.thread(), f.cause().name()),
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
                    NaiveAccount.of(
                            time.build("track", "window", analysis.window().durationNs())));
        }
        return ledgers;
    }
}

package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.Timeline;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for every timeline, on timelines made up from seeds. */
class RandomTimelineTest {
    private static final int SEEDS = 1_000;
    /** Comparing field by field is slow. */
    private static final int FEW_SEEDS = 100;

    @Test
    void busyAndIdleTimeMakeUpTheWindowOfEveryDevice() {
        RandomTimeline.forEachSeed(SEEDS, random -> {
            Report report = analyze(random.build());
            for (DeviceFigures device : report.devices()) {
                Ledger window = ledger(report, device, "window");
                assertThat(device.busyNs() + device.windowIdleNs())
                        .isEqualTo(report.window().durationNs());
                assertThat(device.busyNs() + device.spanIdleNs()).isEqualTo(device.spanNs());
                assertThat(sum(window, LedgerClass::isDeviceBusy)).isEqualTo(device.busyNs());
                assertThat(sum(window, c -> !c.isDeviceBusy())).isEqualTo(device.windowIdleNs());
            }
        });
    }

    @Test
    void everyLedgerSumsExactlyAndHeadSpanAndTailMakeUpTheWindow() {
        RandomTimeline.forEachSeed(SEEDS, random -> {
            Report report = analyze(random.build());
            assertThat(report.ledgers())
                    .isNotEmpty()
                    .allSatisfy(l -> assertThat(sum(l, c -> true)).isEqualTo(l.durationNs()));
            assertThat(report.rollup().values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo(report.window().durationNs());
            for (DeviceFigures device : report.devices()) {
                for (LedgerClass ledgerClass : LedgerClass.values()) {
                    assertThat(ns(report, device, "head", ledgerClass)
                                    + ns(report, device, "span", ledgerClass)
                                    + ns(report, device, "tail", ledgerClass))
                            .isEqualTo(ns(report, device, "window", ledgerClass));
                }
            }
        });
    }

    @Test
    void someRandomTimelinesGetAVerdictAndFindings() {
        List<Report> reports = new ArrayList<>();
        RandomTimeline.forEachSeed(SEEDS, random -> reports.add(analyze(random.build())));

        assertThat(reports.stream().map(r -> r.verdict().bound()).distinct().count())
                .isGreaterThan(3);
        assertThat(reports.stream().filter(r -> !r.findings().isEmpty()).count())
                .isGreaterThan(SEEDS / 10);
        assertThat(reports.stream()
                        .flatMap(r -> r.findings().stream())
                        .map(Finding::rule)
                        .distinct())
                .hasSizeGreaterThan(5);
    }

    @Test
    void idleBlameExplainsExactlyTheIdleTimeOfEveryDevice() {
        RandomTimeline.forEachSeed(SEEDS, random -> {
            Report report = analyze(random.build());
            for (DeviceFigures device : report.devices()) {
                long blamedNs = report.idleBlame().stream()
                        .filter(b -> b.device().equals(device.id()))
                        .mapToLong(BlameFigures::ns)
                        .sum();
                assertThat(blamedNs).isEqualTo(device.windowIdleNs());
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, -7_777_777_777L, 1_763_697_600_123_456_789L})
    void anotherOriginOfAllClocksChangesNothingButTimes(long shiftNs) {
        RandomTimeline.forEachSeed(FEW_SEEDS, random -> {
            Report report = analyze(random.build());
            Report shifted = analyze(random.shifted(shiftNs));
            assertThat(shifted.window()).isEqualTo(shifted(report.window(), shiftNs));
            assertThat(shifted.judged().stretch())
                    .isEqualTo(shifted(report.judged().stretch(), shiftNs));
            assertThat(shifted)
                    .usingRecursiveComparison()
                    .withEqualsForType(Double::equals, Double.class)
                    .ignoringFieldsMatchingRegexes(".*\\b(startNs|endNs|firstNs|lastNs|peakNs)")
                    .isEqualTo(report);
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theOrderInWhichRowsAreAddedDoesNotMatter(long seed) {
        RandomTimeline.forEachSeed(SEEDS, random -> {
            assertEqual(analyze(random.shuffled(seed)), analyze(random.build()));
            assertThat(largestGaps(random.shuffled(seed))).isEqualTo(largestGaps(random.build()));
        });
    }

    private static List<IdleBlame.Gap> largestGaps(Timeline timeline) {
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        return analysis.devices().stream()
                .flatMap(d -> analysis.blameOf(d).largestGaps().stream())
                .toList();
    }

    /** A report's parts are values, all but its import statistics: a thousand times faster than comparing field by field. */
    private static void assertEqual(Report actual, Report expected) {
        for (RecordComponent part : Report.class.getRecordComponents()) {
            Object value = value(part, actual);
            if (value instanceof ImportStats) {
                assertThat(value).usingRecursiveComparison().isEqualTo(value(part, expected));
            } else {
                assertThat(value).as(part.getName()).isEqualTo(value(part, expected));
            }
        }
    }

    private static Object value(RecordComponent part, Report report) {
        try {
            return part.getAccessor().invoke(report);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(part.getName(), e);
        }
    }

    private static Report analyze(Timeline timeline) {
        return new Analyzer().analyze(timeline, "random");
    }

    private static Stretch shifted(Stretch stretch, long byNs) {
        return new Stretch(stretch.startNs() + byNs, stretch.endNs() + byNs);
    }

    private static Ledger ledger(Report report, DeviceFigures device, String part) {
        List<Ledger> found = report.ledgers().stream()
                .filter(l ->
                        l.subject().equals("device " + device.id()) && l.part().equals(part))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static long ns(Report report, DeviceFigures device, String part, LedgerClass ledgerClass) {
        return sum(ledger(report, device, part), c -> c == ledgerClass);
    }

    private static long sum(Ledger ledger, Predicate<LedgerClass> test) {
        return ledger.entries().stream()
                .filter(e -> test.test(e.ledgerClass()))
                .mapToLong(Ledger.Entry::ns)
                .sum();
    }
}

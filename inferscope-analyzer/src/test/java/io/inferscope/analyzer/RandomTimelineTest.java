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
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for every timeline, on timelines made up from seeds. */
class RandomTimelineTest {
    private static final int SEEDS = 1_000;

    private static final Map<Long, Report> REPORTS = new HashMap<>();

    @AfterAll
    static void forget() {
        REPORTS.clear();
    }

    @Test
    void busyAndIdleTimeMakeUpTheWindowOfEveryDevice() {
        RandomTimeline.forEachSeed(SEEDS, random -> {
            Report report = report(random);
            for (DeviceFigures device : report.rows(Report.DEVICES)) {
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
            Report report = report(random);
            assertThat(report.ledgers())
                    .isNotEmpty()
                    .allSatisfy(l -> assertThat(sum(l, c -> true)).isEqualTo(l.durationNs()));
            assertThat(report.rollup().values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo(report.window().durationNs());
            for (DeviceFigures device : report.rows(Report.DEVICES)) {
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
        RandomTimeline.forEachSeed(SEEDS, random -> reports.add(report(random)));

        assertThat(reports.stream().map(r -> r.verdict().bound()).distinct().count())
                .isGreaterThanOrEqualTo(Seeds.areAll() ? 4 : reports.size() < 40 ? 2 : 3);
        assertThat(reports.stream().filter(r -> !r.findings().isEmpty()).count())
                .isGreaterThan(reports.size() / 10);
        assertThat(reports.stream()
                        .flatMap(r -> r.findings().stream())
                        .map(Finding::rule)
                        .distinct())
                .hasSizeGreaterThan(5);
    }

    @Test
    void idleBlameExplainsExactlyTheIdleTimeOfEveryDevice() {
        RandomTimeline.forEachSeed(SEEDS, random -> {
            Report report = report(random);
            for (DeviceFigures device : report.rows(Report.DEVICES)) {
                long blamedNs = report.rows(Report.IDLE_BLAME).stream()
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
        RandomTimeline.forEachSeed(SEEDS, random -> {
            Report report = report(random);
            Report shifted = analyze(random.shifted(shiftNs));
            assertThat(shifted.window()).isEqualTo(shifted(report.window(), shiftNs));
            assertThat(shifted.judged().stretch())
                    .isEqualTo(shifted(report.judged().stretch(), shiftNs));
            SameValue.assertSame(shifted, report, "startNs", "endNs", "firstNs", "lastNs", "peakNs");
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theOrderInWhichRowsAreAddedDoesNotMatter(long seed) {
        RandomTimeline.forEachSeed(SEEDS, random -> {
            SameValue.assertSame(analyze(random.shuffled(seed)), report(random));
            assertThat(largestGaps(random.shuffled(seed))).isEqualTo(largestGaps(random.build()));
        });
    }

    private static List<IdleBlame.Gap> largestGaps(Timeline timeline) {
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        return analysis.devices().stream()
                .flatMap(d -> analysis.blameOf(d).largestGaps().stream())
                .toList();
    }

    /** One analysis of each timeline for all tests. */
    private static Report report(RandomTimeline random) {
        return REPORTS.computeIfAbsent(random.seed(), seed -> analyze(random.build()));
    }

    private static Report analyze(Timeline timeline) {
        Report report = new Analyzer().analyze(timeline, "random");
        assertThat(report.failures()).isEmpty();
        return report;
    }

    private static Stretch shifted(Stretch stretch, long byNs) {
        return new Stretch(stretch.startNs() + byNs, stretch.endNs() + byNs);
    }

    private static Ledger ledger(Report report, DeviceFigures device, String part) {
        List<Ledger> found = report.ledgers().stream()
                .filter(l -> l.subject().equals("device " + device.id())
                        && l.part().id().equals(part))
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

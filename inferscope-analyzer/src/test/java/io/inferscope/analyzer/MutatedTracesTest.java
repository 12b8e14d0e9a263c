package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.TraceMutants.Mutant;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.trust.MissingTime;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage to real traces must not turn a verdict into another one: the verdict is the undamaged trace's, or it is withheld,
 * and a failed check names what was done, or the report states an interval of idle time that holds the undamaged trace's. Traces that have
 * no verdict undamaged are left out. {@code lab/mutate} runs all mutants and prints them.
 */
@Tag("traces")
@Timeout(value = 6, unit = TimeUnit.HOURS)
class MutatedTracesTest {
    /** Places to damage in each trace; 50 in {@code lab/mutate}. */
    private static final int SIZE = Integer.getInteger("inferscope.mutants", Seeds.areAll() ? 10 : 4);

    private static final String ONLY = System.getProperty("inferscope.mutants.of", "");
    private static final String LOG = System.getProperty("inferscope.mutants.log", "");

    /** Mutants with less loss than this must get a verdict in most cases. */
    private static final double LITTLE = 0.02;

    /** Text of a report rounds shares of idle time. */
    private static final double ROUNDED = 0.005;

    /** By what was done: the checks that name it. What is lost is told by the first; the others tell what it left behind. */
    private static final Map<String, Set<String>> NAMING = Map.of(
            "cut",
            Set.of("lost-events"),
            "byte",
            Set.of("lost-events", "known-accelerator", "kernels-follow-their-launch", "streams-do-not-overlap"),
            "device records",
            Set.of("launches-have-device-work", "device-work-is-complete", "graph-replays-are-busy"),
            "launches",
            Set.of("operations-have-launches", "device-work-is-complete"),
            "operators",
            Set.of(),
            "stamp",
            Set.of(
                    "lost-events",
                    "kernels-follow-their-launch",
                    "synchronisation-follows-its-work",
                    "streams-do-not-overlap",
                    "first-operation-starts-at-once",
                    "blocked-calls-have-device-work"));

    @TempDir
    private Path folder;

    /** What became of the mutants of one kind. */
    private static final class Counts {
        private int all;
        private int same;
        private int refused;
        private int named;
        private int stated;
        private int unnamed;
        private int little;
        private int littleWithheld;

        void add(Outcome outcome) {
            all++;
            switch (outcome) {
                case SAME -> same++;
                case REFUSED -> refused++;
                case NAMED -> named++;
                case STATED -> stated++;
                case UNNAMED -> unnamed++;
                case WRONG -> {}
            }
        }

        void add(Counts more) {
            all += more.all;
            same += more.same;
            refused += more.refused;
            named += more.named;
            stated += more.stated;
            unnamed += more.unnamed;
            little += more.little;
            littleWithheld += more.littleWithheld;
        }

        int right() {
            return same + refused + named + stated;
        }

        String row(String kind) {
            return "| " + kind + " | " + all + " | " + same + " | " + named + " | " + refused + " | " + stated + " | "
                    + unnamed + " | " + (all - right() - unnamed) + " |";
        }
    }

    private enum Outcome {
        SAME,
        /** The file is not read at all. */
        REFUSED,
        /** Withheld for what was done. */
        NAMED,
        /** Another verdict, beside an interval that holds the undamaged trace's, or about a part that it names. */
        STATED,
        /** Withheld for another reason. */
        UNNAMED,
        WRONG
    }

    /** An undamaged trace's verdict, and how idle its device is, as a ratio of its span. */
    private record Original(Path trace, Bound bound, double idle) {}

    @Test
    void noDamageTurnsAVerdictIntoAnotherOne() throws Exception {
        Map<String, Counts> kinds = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        try (PrintStream log = LOG.isEmpty() ? null : new PrintStream(LOG)) {
            for (Path trace : SharedTraces.forCostlyTests(SharedTraces.chrome())) {
                if (trace.toString().contains(ONLY)) {
                    mutate(trace, kinds, wrong, log);
                }
            }
        }
        Counts sum = new Counts();
        kinds.values().forEach(sum::add);
        System.out.println("| what is done | mutants | the same verdict | withheld for it | refused | interval stated "
                + "| withheld otherwise | another verdict |");
        System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- |");
        kinds.forEach((kind, counts) -> System.out.println(counts.row(kind)));
        System.out.println(sum.row("all"));
        System.out.printf(
                "%d of %d right, %d of %d with little loss withheld%n",
                sum.right(), sum.all, sum.littleWithheld, sum.little);
        assertThat(sum.all).as("mutants").isPositive();
        assertThat(sum.right()).as(() -> String.join("\n", wrong)).isGreaterThanOrEqualTo((int) (0.98 * sum.all));
        assertThat(2 * sum.littleWithheld).isLessThanOrEqualTo(sum.little);
    }

    private void mutate(Path trace, Map<String, Counts> kinds, List<String> wrong, PrintStream log) throws Exception {
        Timeline timeline = SharedTraces.timeline(trace);
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        Bound bound = verdict(timeline).verdict().bound();
        if (analysis.headline().isEmpty() || bound == Bound.WITHHELD) {
            return;
        }
        Original original = new Original(trace, bound, idle(analysis));
        Random random = new Random(trace.getFileName().toString().hashCode());
        new TraceMutants(bytes(trace), timeline, random)
                .each(SIZE, mutant -> judge(original, mutant, kinds, wrong, log));
    }

    private void judge(
            Original original, Mutant mutant, Map<String, Counts> kinds, List<String> wrong, @Nullable PrintStream log)
            throws IOException {
        Counts counts = kinds.computeIfAbsent(mutant.kind(), kind -> new Counts());
        Timeline timeline = timeline(mutant);
        Report report = timeline == null ? null : verdict(timeline);
        Outcome outcome = outcome(original, mutant, timeline, report);
        counts.add(outcome);
        if (mutant.lost() < LITTLE) {
            counts.little++;
            counts.littleWithheld +=
                    outcome == Outcome.REFUSED || outcome == Outcome.NAMED || outcome == Outcome.UNNAMED ? 1 : 0;
        }
        String line = original.trace.getFileName() + "\t" + mutant.kind() + "\t" + mutant.what() + "\t" + original.bound
                + "\t" + (report == null ? "refused" : report.verdict().bound()) + "\t" + outcome + "\t"
                + (report == null ? "" : reasons(report));
        if (outcome == Outcome.WRONG || outcome == Outcome.UNNAMED) {
            wrong.add(line);
        }
        if (log != null) {
            log.println(line);
            log.flush();
        }
    }

    private static Outcome outcome(
            Original original, Mutant mutant, @Nullable Timeline timeline, @Nullable Report report) {
        if (timeline == null || report == null) {
            return Outcome.REFUSED;
        }
        BoundVerdict verdict = report.verdict();
        if (verdict.bound() == original.bound) {
            return Outcome.SAME;
        }
        if (verdict.bound() == Bound.WITHHELD) {
            Set<String> naming = NAMING.entrySet().stream()
                    .filter(entry -> mutant.kind().contains(entry.getKey()))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElseThrow();
            boolean both =
                    verdict.claim().startsWith("Either") && verdict.claim().contains('"' + original.bound.id() + '"');
            return both || report.trust().stream().anyMatch(check -> !check.passed() && naming.contains(check.check()))
                    ? Outcome.NAMED
                    : Outcome.UNNAMED;
        }
        if (mutant.kind().contains("cut") && verdict.claim().startsWith("The file is cut")) {
            return Outcome.STATED;
        }
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        if (analysis.headline().isEmpty()) {
            return Outcome.WRONG;
        }
        DeviceActivity device = analysis.headline().orElseThrow();
        double most = idle(analysis);
        double least = most - (double) MissingTime.of(analysis).ns() / Math.max(1, device.lastNs() - device.firstNs());
        return least < most && least - ROUNDED <= original.idle && original.idle <= most + ROUNDED
                ? Outcome.STATED
                : Outcome.WRONG;
    }

    private static double idle(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        return 1 - (double) device.busy().totalNs() / Math.max(1, device.lastNs() - device.firstNs());
    }

    private static String reasons(Report report) {
        return report.verdict().bound() == Bound.WITHHELD
                ? report.verdict().reasons().get(0).check() + ": "
                        + report.verdict().because().get(0)
                : report.trust().stream()
                        .filter(check -> !check.passed())
                        .map(check -> check.check() + ": " + check.detail())
                        .toList()
                        .toString();
    }

    private @Nullable Timeline timeline(Mutant mutant) throws IOException {
        try {
            return CoreFormats.load(TraceFile.of(folder, "mutant.json", mutant.content()));
        } catch (ImportException refused) {
            return null;
        }
    }

    private static Report verdict(Timeline timeline) {
        return new Analyzer().conclude(timeline, "").report();
    }

    private static byte[] bytes(Path trace) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(trace))) {
            return in.readAllBytes();
        }
    }
}

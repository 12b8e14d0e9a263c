package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.TraceMutants.Mutant;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Report;
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
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage to real traces must not turn a verdict into another one: the verdict is the undamaged trace's, or it is withheld, or the
 * report states that idle time may be work that is missing. {@code lab/mutate} runs all mutants and prints them.
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

    @TempDir
    private Path folder;

    /** What became of the mutants of one kind. */
    private static final class Counts {
        private int all;
        private int same;
        private int withheld;
        private int stated;
        private int little;
        private int littleWithheld;

        int right() {
            return same + withheld + stated;
        }
    }

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
        kinds.forEach((kind, counts) -> {
            System.out.printf(
                    "| %s | %d | %d | %d | %d | %d |%n",
                    kind, counts.all, counts.same, counts.withheld, counts.stated, counts.all - counts.right());
            sum.all += counts.all;
            sum.same += counts.right();
            sum.little += counts.little;
            sum.littleWithheld += counts.littleWithheld;
        });
        System.out.printf(
                "%d of %d right, %d of %d with little loss withheld%n",
                sum.same, sum.all, sum.littleWithheld, sum.little);
        assertThat(sum.same).as(() -> String.join("\n", wrong)).isGreaterThanOrEqualTo((int) (0.98 * sum.all));
        assertThat(2 * sum.littleWithheld).isLessThanOrEqualTo(sum.little);
    }

    private void mutate(Path trace, Map<String, Counts> kinds, List<String> wrong, PrintStream log) throws Exception {
        Timeline timeline = SharedTraces.timeline(trace);
        BoundVerdict original = verdict(timeline).verdict();
        if (!verdict(timeline).hasDeviceWork()) {
            return;
        }
        Random random = new Random(trace.getFileName().toString().hashCode());
        new TraceMutants(bytes(trace), timeline, random)
                .each(SIZE, mutant -> judge(trace, mutant, original.bound(), kinds, wrong, log));
    }

    private void judge(
            Path trace,
            Mutant mutant,
            Bound original,
            Map<String, Counts> kinds,
            List<String> wrong,
            @Nullable PrintStream log)
            throws IOException {
        Counts counts = kinds.computeIfAbsent(mutant.kind(), kind -> new Counts());
        Report report = report(mutant);
        Bound bound = report == null ? Bound.WITHHELD : report.verdict().bound();
        boolean same = bound == original;
        boolean stated = report != null
                && report.trust().stream()
                        .anyMatch(check -> check.check().equals("device-work-is-complete") && !check.passed());
        boolean little = mutant.lost() < LITTLE && original != Bound.WITHHELD;
        counts.all++;
        counts.same += same ? 1 : 0;
        counts.withheld += !same && bound == Bound.WITHHELD ? 1 : 0;
        counts.stated += !same && bound != Bound.WITHHELD && stated ? 1 : 0;
        counts.little += little ? 1 : 0;
        counts.littleWithheld += little && bound == Bound.WITHHELD ? 1 : 0;
        String line = trace.getFileName() + "\t" + mutant.kind() + "\t" + mutant.what() + "\t" + original + "\t" + bound
                + "\t" + (same ? "same" : bound == Bound.WITHHELD ? "withheld" : stated ? "stated" : "WRONG") + "\t"
                + (report == null ? "refused" : reasons(report));
        if (!same && bound != Bound.WITHHELD && !stated) {
            wrong.add(line);
        }
        if (log != null) {
            log.println(line);
            log.flush();
        }
    }

    private static String reasons(Report report) {
        return report.verdict().bound() == Bound.WITHHELD
                ? report.verdict().because().get(0)
                : report.trust().stream()
                        .filter(check -> !check.passed())
                        .map(check -> check.check() + ": " + check.detail())
                        .toList()
                        .toString();
    }

    private Report report(Mutant mutant) throws IOException {
        try {
            return verdict(CoreFormats.load(TraceFile.of(folder, "mutant.json", mutant.content())));
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

package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.formats.common.Exporter;
import io.inferscope.report.Renderers;
import io.inferscope.report.common.Renderer;
import io.inferscope.report.scene.Scene;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.redact.Redaction;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a report and its timeline cost grows with what was recorded, not with its square, and so does what it takes to write a recording in every
 * format, to redact it and to read it: CPU time of this thread at n and at 10 n.
 */
@Tag("slow")
class LinearCostTest {
    /** 10 times the work, 3 for logarithms and caches. */
    private static final double MOST = 13;

    /** Below, the clock and the compiler weigh more than the work. */
    private static final long LEAST_NS = 300_000_000;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(Shape.class)
    void tenTimesTheRowsCostTenTimesAsMuch(Shape shape) throws IOException {
        assertLinear(shape, LinearCostTest::costNs);
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void tenTimesTheRowsAreWrittenAndReadInTenTimesTheTime(Shape shape) throws IOException {
        assertLinear(shape, this::costOfFilesNs);
    }

    /** Measures what something takes, ns. */
    private interface Cost {
        long of(Timeline timeline) throws IOException;
    }

    private static void assertLinear(Shape shape, Cost cost) throws IOException {
        cost.of(shape.draw(shape.n / 10)); // The compiler's share is paid once.
        long small = Math.max(LEAST_NS, cost.of(shape.draw(shape.n)));
        long large = cost.of(shape.draw(10 * shape.n));

        assertThat((double) large / small)
                .as("%,d us, then %,d us", small / 1000, large / 1000)
                .isLessThan(MOST);
    }

    private long costOfFilesNs(Timeline timeline) throws IOException {
        long beforeNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        Timeline redacted = Redaction.of(timeline);
        for (Exporter exporter : Formats.exporters()) {
            exporter.write(
                    redacted,
                    folder.resolve(exporter.format() + exporter.endings().get(0)));
        }
        try {
            Timeline read = Formats.importers().load(folder.resolve("kineto.json"));
            assertThat(read.rowCount()).isEqualTo(timeline.rowCount());
        } catch (ImportException e) {
            throw new IOException(e);
        }
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - beforeNs;
    }

    private static long costNs(Timeline timeline) throws IOException {
        long beforeNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        AnalyzedReport explained = new Analyzer().explain(timeline, "drawn");
        Report report = explained.report();
        assertThat(Scene.of(explained.analysis(), report, Scene.Limits.USUAL).compressed())
                .isNotEmpty();
        for (String format : Renderers.formats()) {
            Renderer renderer = Renderers.byFormat(format);
            renderer.render(report, new StringBuilder());
        }
        assertThat(report.failures()).isEmpty();
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - beforeNs;
    }

    /** Prints the cost of one shape, or of all. */
    public static void main(String[] args) throws IOException {
        for (Shape shape : Shape.values()) {
            if (args.length == 0 || shape.name().equals(args[0])) {
                int size = args.length > 1 ? Integer.parseInt(args[1]) : shape.n;
                costNs(shape.draw(size / 10));
                long small = costNs(shape.draw(size));
                long large = costNs(shape.draw(10 * size));
                System.out.printf(
                        "%-20s %,9d: %,7d ms   %,9d: %,7d ms   x %.1f%n",
                        shape, size, small / 1_000_000, 10 * size, large / 1_000_000, (double) large / small);
            }
        }
    }
}

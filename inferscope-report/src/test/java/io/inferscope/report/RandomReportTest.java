package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report;
import io.inferscope.report.markdown.MarkdownPage;
import io.inferscope.timeline.fixture.Seeds;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reports of random texts and numbers, the absurd included: a renderer never throws, stays within its bounds, and repeats itself. */
class RandomReportTest {
    private static final long[] NUMBERS = {0, 1, -1, 999, 1_000, 1L << 53, Long.MAX_VALUE, Long.MIN_VALUE};

    static LongStream seeds() {
        return Seeds.upTo(60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyFormatHoldsWhatItPromises(long seed) {
        Report report = random(seed);

        for (String format : Renderers.formats()) {
            String rendered = Rendered.as(format, report);
            assertThat(rendered).as(format).endsWith("\n").doesNotContain("\r", "NaN", "Infinity");
            assertThat(Rendered.as(format, random(seed))).as("again").isEqualTo(rendered);
        }
        assertThat(Rendered.as("markdown", report)).hasSizeLessThanOrEqualTo(MarkdownPage.LIMIT);
        JsonTree.of(Rendered.as("json", report));
    }

    private static Report random(long seed) {
        Random random = new Random(seed);
        List<Report> fixtures = List.of(ReportFixture.gpu(), ReportFixture.cpuOnly(), ReportFixture.withheld());
        return Rewritten.all(
                fixtures.get(random.nextInt(fixtures.size())),
                text -> text(random, text),
                number -> number(random, number),
                ratio -> ratio(random, ratio));
    }

    private static String text(Random random, String old) {
        if (random.nextInt(3) == 0) {
            return old;
        }
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(40); i > 0; i--) {
            boolean ascii = random.nextInt(4) != 0;
            text.append((char) (ascii ? random.nextInt(128) : random.nextInt(65_536)));
        }
        return text.toString();
    }

    private static long number(Random random, long old) {
        return switch (random.nextInt(3)) {
            case 0 -> old;
            case 1 -> NUMBERS[random.nextInt(NUMBERS.length)];
            default -> random.nextLong() >> random.nextInt(64);
        };
    }

    private static double ratio(Random random, double old) {
        return switch (random.nextInt(4)) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> random.nextBoolean() ? Double.NaN : Double.NEGATIVE_INFINITY;
            default -> random.nextBoolean() ? old : random.nextDouble();
        };
    }
}

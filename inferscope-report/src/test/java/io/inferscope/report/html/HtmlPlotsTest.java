package io.inferscope.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HtmlPlotsTest {
    private static final long US = 1_000;
    private static final long MS = 1_000_000;

    private final TimelineBuilder builder = new TimelineBuilder();
    private final int thread = builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, "1"), "1");

    /** Thousand gaps of 1 us weigh as much as one of 1 ms. */
    @Test
    void gapsAreSummedByTheirLength() throws Exception {
        int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "0"), "7");
        long now = 0;
        for (int i = 0; i < 1_001; i++) {
            builder.row(RowKind.KERNEL, stream, now, now + 5 * US, builder.name("gemm"));
            now += 6 * US;
        }
        now += MS - US;
        builder.row(RowKind.KERNEL, stream, now, now + 5 * US, builder.name("gemm"));

        List<String> rows = cells(section("gaps"));

        assertThat(rows)
                .containsExactly(
                        "1.00 us to 10.0 us | 1,000 | 1.00 ms | 50.0%", "1.00 ms to 10.0 ms | 1 | 1.00 ms | 50.0%");
    }

    @Test
    void aSlowStepIsSeenAndLinked() throws Exception {
        long now = 0;
        for (int i = 0; i < 12; i++) {
            long ns = i == 7 ? 3 * MS : MS;
            builder.row(RowKind.ANNOTATION, thread, now, now + ns, builder.name("ProfilerStep#" + i));
            builder.row(RowKind.OPERATOR, thread, now + US, now + ns - US, builder.name("aten::mm"));
            now += ns;
        }

        String strip = section("strip");

        assertThat(strip)
                .contains("12 steps, median 1.00 ms, longest 3.00 ms; 1 took more than 1.5 times the median")
                .contains("number 8: 3.00 ms at 7.000 ms <a href=\"#t=7000000-10000000\"");
        assertThat(count(strip, "<rect class=\"h2d-copy\"")).isEqualTo(1);
        assertThat(count(strip, "<rect class=\"span\"")).isEqualTo(11);
    }

    private String section(String id) throws Exception {
        AnalyzedReport explained = new Analyzer().explain(builder.build("test"), "test");
        StringBuilder page = new StringBuilder();
        new HtmlRenderer(explained.analysis(), true).render(explained.report(), page);
        return Pattern.compile("(?s)<section aria-labelledby=\"" + id + "\">.*?</section>")
                .matcher(page)
                .results()
                .map(MatchResult::group)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> cells(String section) {
        return Pattern.compile("<tr><th scope=\"row\".*?</tr>")
                .matcher(section)
                .results()
                .map(row -> row.group()
                        .replaceAll("<svg.*?</svg>", "")
                        .replaceAll("</t[hd]><td[^>]*>", " | ")
                        .replaceAll("<[^>]*>", "")
                        .replaceAll("[ |]+$", ""))
                .toList();
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }
}

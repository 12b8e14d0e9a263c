package io.inferscope.report.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.report.Rendered;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a reader of a small run's Markdown sees before opening anything. */
class SmallMarkdownTest {
    private static final int THREE_SCREENS = 150;
    private static final String MARKDOWN = markdown();

    @Test
    void itIsAtMostThreeScreens() {
        int visible = 0;
        boolean folded = false;
        for (String line : MARKDOWN.lines().toList()) {
            folded |= line.startsWith("<details>");
            visible += folded ? 0 : 1;
            folded &= !line.startsWith("</details>");
        }

        assertThat(visible).isBetween(20, THREE_SCREENS);
        assertThat(count("<details>")).isEqualTo(count("</details>")).isGreaterThan(1);
    }

    @Test
    void rulesOfADeviceThatIsNotThereAreCountedAndNotListed() {
        assertThat(MARKDOWN).containsPattern("\\d\\d rules do not apply: no device work is recorded\\.");
        assertThat(MARKDOWN).doesNotContain("`exposed-h2d`", "`hotspot-kernel`");
    }

    private static long count(String tag) {
        return List.of(MARKDOWN.split(tag, -1)).size() - 1L;
    }

    private static String markdown() {
        TimelineBuilder builder = new TimelineBuilder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        int thread = builder.track(TrackKind.THREAD, process, "2");
        for (int i = 0; i < 100; i++) {
            long ns = i * 1_000_000L;
            builder.row(RowKind.ANNOTATION, thread, ns, ns + 900_000, builder.name("tokenize"));
            builder.row(RowKind.OPERATOR, thread, ns + 500_000, ns + 800_000, builder.name("aten::mm"));
        }
        return Rendered.as("markdown", new Analyzer().analyze(builder.build("test"), "small_run.py"));
    }
}

package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Walks through pages as docs/gallery.md does, in a real browser: each row of its tables is a step, of which the first cell tells what to click
 * or press, and the second what is then seen without scrolling.
 */
@Tag("chromium")
@Tag("traces")
class GalleryWalkTest {
    private static final Pattern STEP = Pattern.compile("\\| \\d+ \\| (.*?) \\| (.*) \\|");
    private static final Pattern ACTION = Pattern.compile("(click|press) \"([^\"]+)\"");
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"|`([^`]+)`");

    /** The text that lies in the window, pieces of one line without anything between them. */
    private static final String SEEN = """
            (() => {
              const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              const range = document.createRange();
              let seen = '';
              for (let text; text = texts.nextNode();) {
                range.selectNodeContents(text);
                const at = range.getBoundingClientRect();
                if (at.height > 0 && at.bottom > 0 && at.top < innerHeight) seen += text.data;
              }
              return seen.replace(/\\s+/g, ' ');
            })()""";

    /** A step whose effect is not there after so many looks has none. */
    private static final int LOOKS = 3000;

    @TempDir
    private Path folder;

    private record Step(String action, List<String> seen) {}

    @ParameterizedTest
    @ValueSource(strings = {"h100-bert-small", "h100-timesformer", "b200-eager"})
    void eachStepShowsWhatTheGallerySays(String trace) throws Exception {
        List<Step> steps = steps(trace);
        assertThat(steps).hasSizeBetween(3, 7);
        String html = Recorded.page(Recorded.explained(SharedTraces.timeline(SharedTraces.kineto(trace))));
        try (Browser.Page page = Browser.shared()
                .page()
                .like(1_280, 900)
                .open(Recorded.write(folder, html).toUri().toString())) {
            for (Step step : steps) {
                act(page, step.action());
                String seen = (String) page.evaluate(SEEN);
                for (int look = 0; look < LOOKS && !containsAll(seen, step.seen()); look++) {
                    Thread.sleep(20);
                    seen = (String) page.evaluate(SEEN);
                }
                assertThat(seen).as(step.action()).contains(step.seen());
            }
        }
    }

    private static boolean containsAll(String text, List<String> parts) {
        return parts.stream().allMatch(text::contains);
    }

    private static List<Step> steps(String trace) throws Exception {
        String gallery = Files.readString(Path.of("../docs/gallery.md"));
        int from = gallery.indexOf("**" + trace + ".**");
        assertThat(from).isPositive();
        int to = gallery.indexOf("**", from + trace.length() + 4);
        List<Step> steps = new ArrayList<>();
        Matcher row = STEP.matcher(gallery.substring(from, to < 0 ? gallery.length() : to));
        while (row.find()) {
            List<String> seen = new ArrayList<>();
            Matcher quoted = QUOTED.matcher(row.group(2));
            while (quoted.find()) {
                seen.add(quoted.group(1) == null ? quoted.group(2) : quoted.group(1));
            }
            assertThat(seen).as(row.group()).isNotEmpty();
            steps.add(new Step(row.group(1), seen));
        }
        return steps;
    }

    /** Does what a step says. What is clicked has to be seen before. */
    private static void act(Browser.Page page, String step) throws Exception {
        Matcher action = ACTION.matcher(step);
        if (!action.find()) {
            assertThat(step).isIn("open", "read");
            return;
        }
        if (action.group(1).equals("press")) {
            page.press(action.group(2));
        } else {
            assertThat(
                            page.evaluate(
                                    "(link => link && (link.click(), true))([...document.querySelectorAll('a, button, summary')]"
                                            + ".find(one => one.textContent === " + Browser.quoted(action.group(2))
                                            + " && one.getBoundingClientRect().top >= 0 && one.getBoundingClientRect().bottom <= innerHeight))"))
                    .as(step)
                    .isEqualTo(true);
        }
        page.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(() => done(1)), 100))");
    }
}

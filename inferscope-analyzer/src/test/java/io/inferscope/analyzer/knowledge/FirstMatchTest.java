package io.inferscope.analyzer.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class FirstMatchTest {
    /** Each way of writing a pattern that a row uses. */
    private static final List<String> PATTERNS = List.of(
            "(^|/)inferscope/(?!trace/)|_kineto_",
            "(?<!up)(?<!grid_)sampl|top_?[kp]",
            "pre-?_?process|(^|[^a-z])json([^a-z]|$)",
            "warm_?up|importlib\\._boot|^import |colou?r",
            "igemm_.*gtc|sm\\d+_xmma|ab{2}c|a+z",
            "cat|[])(|]dog",
            "(^|[^a-z])(add|mul)(_|[A-Z<(]|$)");

    private static final List<String> PIECES = List.of(
            "inferscope/",
            "trace/",
            "_kineto_",
            "sampl",
            "up",
            "grid_",
            "top",
            "_",
            "k",
            "pre",
            "-",
            "process",
            "json",
            "JSON",
            "warm",
            "importlib._boot",
            "importlib",
            "import ",
            "color",
            "colour",
            "igemm_",
            "gtc",
            "sm90_xmma",
            "abbc",
            "abc",
            "aaz",
            "az",
            "cat",
            ")dog",
            "dog",
            "add",
            "mul<",
            "é",
            "x",
            "/",
            "Sampl",
            "");

    @Test
    void findsWhatTryingEachPatternFinds() {
        Random random = new Random(7);
        int found = 0;
        for (int flags : new int[] {0, Pattern.CASE_INSENSITIVE}) {
            for (int round = 0; round < 4_000; round++) {
                List<FirstMatch.Row<Integer>> rows = new ArrayList<>();
                for (int i = 0; i < PATTERNS.size(); i++) {
                    rows.add(new FirstMatch.Row<>(i, Pattern.compile(PATTERNS.get(i), flags)));
                }
                Collections.shuffle(rows, random);
                StringBuilder text = new StringBuilder();
                for (int i = random.nextInt(5); i >= 0; i--) {
                    text.append(PIECES.get(random.nextInt(PIECES.size())));
                }
                Optional<Integer> expected = rows.stream()
                        .filter(row -> row.pattern().matcher(text).find())
                        .map(FirstMatch.Row::means)
                        .findFirst();
                found += expected.isPresent() ? 1 : 0;

                assertThat(new FirstMatch<>(rows).in(text.toString()))
                        .as("%s in %s", rows, text)
                        .isEqualTo(expected);
            }
        }
        assertThat(found).isBetween(2_000, 7_000);
    }

    @Test
    void rowsBeyondTheBitsOfALongAreRefused() {
        List<FirstMatch.Row<Integer>> rows = Collections.nCopies(65, new FirstMatch.Row<>(1, Pattern.compile("word")));

        assertThatThrownBy(() -> new FirstMatch<>(rows)).hasMessageContaining("65 rows, more than 64");
    }
}

package io.inferscope.analyzer.knowledge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PatternTableTest {
    /** Each way of writing a pattern that a row uses. */
    private static final List<String> PATTERNS = List.of(
            "(^|/)inferscope/(?!trace/)|_kineto_",
            "(?<!up)(?<!grid_)sampl|top_?[kp]",
            "pre-?_?process|(^|[^a-z])json([^a-z]|$)",
            "warm_?up|importlib\\._boot|^import |colou?r",
            "igemm_.*gtc|sm\\d+_xmma|ab{2}c|a+z|[x-z]{12,13}",
            "cat|[])(|]dog",
            "(^|[^a-z])(add|mul)(_|[A-Z<(]|$)",
            "(?<a>x|up)/\\k<a>z|import ?x\\.z");

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
            "x.z",
            "xz",
            "xyzxyzxyzxyz",
            "/",
            "Sampl",
            "");

    @Test
    void findsWhatTryingEachPatternFinds() {
        Random random = new Random(7);
        int found = 0;
        for (int flags : new int[] {0, Pattern.CASE_INSENSITIVE}) {
            for (int round = 0; round < 4_000; round++) {
                List<PatternTable.Row<Integer>> rows = new ArrayList<>();
                for (int i = 0; i < PATTERNS.size(); i++) {
                    rows.add(new PatternTable.Row<>(i, PATTERNS.get(i), flags));
                }
                Collections.shuffle(rows, random);
                StringBuilder text = new StringBuilder();
                for (int i = random.nextInt(5); i >= 0; i--) {
                    text.append(PIECES.get(random.nextInt(PIECES.size())));
                }
                Optional<Integer> expected = rows.stream()
                        .filter(row -> Pattern.compile(row.regex(), row.flags())
                                .matcher(text)
                                .find())
                        .map(PatternTable.Row::means)
                        .findFirst();
                found += expected.isPresent() ? 1 : 0;

                assertThat(new PatternTable<>(rows).in(text.toString()))
                        .as("%s in %s", rows, text)
                        .isEqualTo(expected);
                List<Knowledge.Meaning<Integer>> meanings = rows.stream()
                        .map(row -> new Knowledge.Meaning<>(
                                row.means(), row.flags() == 0 ? row.regex() : "(?i)" + row.regex()))
                        .toList();
                assertThat(Optional.ofNullable(Knowledge.found(meanings, text.toString())))
                        .as("%s in %s", rows, text)
                        .isEqualTo(expected);
            }
        }
        assertThat(found).isBetween(2_000, 7_000);
    }

    @Test
    void theFirstOfManyRowsThatMatchDecides() {
        List<PatternTable.Row<Integer>> rows = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            rows.add(new PatternTable.Row<>(i, i % 3 == 0 ? "word" + i + "$" : "word" + i, 0));
        }
        PatternTable<Integer> table = new PatternTable<>(rows);

        assertThat(table.in("a word299")).contains(2);
        assertThat(table.in("a word299 of word150")).contains(1);
        assertThat(table.in("a word30")).contains(30);
        assertThat(table.in("a Word30")).isEmpty();
    }
}

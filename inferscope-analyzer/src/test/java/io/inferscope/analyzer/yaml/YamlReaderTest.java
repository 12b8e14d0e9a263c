package io.inferscope.analyzer.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.inferscope.analyzer.yaml.YamlValue.Entry;
import io.inferscope.analyzer.yaml.YamlValue.Group;
import io.inferscope.analyzer.yaml.YamlValue.Items;
import io.inferscope.analyzer.yaml.YamlValue.Text;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class YamlReaderTest {
    @Test
    void everythingHasItsLine() throws YamlException {
        YamlValue value = YamlReader.read("""
                # a comment
                thresholds:
                  gpu-idle.share: 10%

                disable:
                  - sleeping
                  - "file-io"
                """);

        assertThat(value)
                .isEqualTo(new Group(
                        2,
                        List.of(
                                new Entry(
                                        2,
                                        "thresholds",
                                        new Group(3, List.of(new Entry(3, "gpu-idle.share", new Text(3, "10%"))))),
                                new Entry(
                                        5,
                                        "disable",
                                        new Items(6, List.of(new Text(6, "sleeping"), new Text(7, "file-io")))))));
    }

    @Test
    void wordsAndNumbersStayAsTheyAreWritten() throws YamlException {
        YamlValue value = YamlReader.read("[no, 0x1F, 1_000, null, 2026-01-01, '']");

        assertThat(((Items) value).values())
                .extracting(item -> ((Text) item).value())
                .containsExactly("no", "0x1F", "1_000", "null", "2026-01-01", "");
    }

    @Test
    void nothingIsAnEmptyGroup() throws YamlException {
        assertThat(YamlReader.read("# only a comment\n")).isEqualTo(new Group(1, List.of()));
    }

    @Test
    void aKeyThatStandsTwiceIsRefusedAtItsSecondLine() {
        assertRefused("a: 1\nb: 2\na: 3\n", 3, "'a' is given a second time");
    }

    @Test
    void anchorsAreRefused() {
        assertRefused("a: &x [1]\nb: *x\n", 1, "anchors (&) and aliases (*) are not read here");
    }

    @Test
    void aKeyThatIsAListIsRefused() {
        assertRefused("a: 1\n[b]: 2\n", 2, "a key must be a text, not a list");
    }

    @Test
    void badSyntaxIsToldWithItsLine() {
        assertRefused("a: 1\nb: [1, 2\nc: 3\n", 3, "");
    }

    @Test
    void severalDocumentsAreRefused() {
        assertRefused("a: 1\n---\nb: 2\n", 2, "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "- ", "{a: "})
    void endlessNestingIsRefused(String opening) {
        assertThat(catchThrowableOfType(YamlException.class, () -> YamlReader.read(opening.repeat(100_000))))
                .isNotNull();
    }

    @Test
    void whatIsTooLargeForSettingsIsRefused() {
        assertRefused("a: " + "x".repeat(1 << 20), 0, "longer than 1 MiB");
    }

    private static void assertRefused(String text, int line, String problem) {
        YamlException e = catchThrowableOfType(YamlException.class, () -> YamlReader.read(text));

        assertThat(e).isNotNull();
        assertThat(e.problem()).contains(problem);
        assertThat(e.line()).isEqualTo(line);
    }

    @Test
    void aLineBreakThatIsNotExpectedIsNamedInOneLine() {
        YamlException problem =
                catchThrowableOfType(YamlException.class, () -> YamlReader.read("a: 1\nb: \"{x\"&\n  c: 2\n"));

        assertThat(problem.getMessage()).isNotBlank().doesNotContain("\n");
    }
}

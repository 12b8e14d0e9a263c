package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.knowledge.FrameRoles;
import io.inferscope.analyzer.knowledge.KernelPatterns;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.knowledge.PatternTable;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.work.DevicePeaks;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.files.KnowledgeTable;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KnowledgeTest {
    /**
     * Tables without patterns, so that an example would only repeat a row: each begins with the whole name or key that it
     * is of.
     */
    private static final Set<String> OF_KEYS = Set.of(
            "advice.tsv",
            "aten.tsv",
            "claims.tsv",
            "engine-counters.tsv",
            "recorders.tsv",
            "rules.tsv",
            "thresholds.tsv");

    /** The tables of the folder, whatever they are of. */
    static Stream<String> tables() throws IOException, URISyntaxException {
        Path table = Path.of(
                Objects.requireNonNull(Knowledge.class.getResource("names.tsv")).toURI());
        try (Stream<Path> files = Files.list(table.getParent())) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".tsv"))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    /** A table without a case here fails. */
    @ParameterizedTest
    @MethodSource("tables")
    void theExampleOfARowHasItsPatternAndThatOfNoEarlierRow(String table) {
        List<String[]> rows = KnowledgeTable.read(Knowledge.class, table, Function.identity());
        assertThat(rows).isNotEmpty().allSatisfy(row -> assertThat(row).doesNotContain(""));
        switch (table) {
            case "libraries.tsv", "calls.tsv", "system-calls.tsv" -> classes(table, true);
            case "waits.tsv", "built-in-waits.tsv" -> classes(table, false);
            case "hlo.tsv", "remedies.tsv" -> meanings(table);
            case "device-operators.tsv" ->
                assertThat(Knowledge.rows(table))
                        .allSatisfy(row -> assertThat(row.example()).containsPattern(row.pattern()));
            case "scopes.tsv" -> scopes();
            case "frames.tsv" -> frames();
            case "names.tsv" -> names();
            case "kernels.tsv" -> kernels();
            case "device-peaks.tsv" ->
                assertThat(rows)
                        .allSatisfy(row -> assertThat(Objects.requireNonNull(DevicePeaks.of(row[11], 0, 0))
                                        .model())
                                .isEqualTo(row[1]));
            case "operators.tsv" ->
                assertThat(rows).allSatisfy(row -> assertThat(row[3]).containsPattern(row[0]));
            default -> assertThat(table).isIn(OF_KEYS);
        }
    }

    private static void classes(String table, boolean whole) {
        List<Knowledge.Meaning<LedgerClass>> classes = Knowledge.classes(table);
        assertThat(Knowledge.rows(table)).allSatisfy(row -> {
            String own = whole ? "^(?:" + row.pattern() + ")$" : row.pattern();
            assertThat(row.example()).containsPattern(own);
            LedgerClass first =
                    whole ? Knowledge.whole(classes, row.example()) : Knowledge.found(classes, row.example());
            assertThat(String.valueOf(first)).isEqualTo(row.means());
        });
    }

    private static void meanings(String table) {
        List<Knowledge.Meaning<String>> meanings = Knowledge.rows(table).stream()
                .map(row -> new Knowledge.Meaning<>(row.means(), row.pattern()))
                .toList();
        assertThat(Knowledge.rows(table)).allSatisfy(row -> {
            assertThat(row.example()).containsPattern(row.pattern());
            assertThat(Knowledge.found(meanings, row.example())).isEqualTo(row.means());
        });
    }

    private static void scopes() {
        PatternTable<Knowledge.Row> scopes = new PatternTable<>(Knowledge.inAnyCase("scopes.tsv"));
        assertThat(Knowledge.rows("scopes.tsv")).allSatisfy(row -> {
            assertThat(row.example()).containsPattern("(?i)" + row.pattern());
            assertThat(scopes.in(row.example()).map(Knowledge::ledgerClass)).hasValue(Knowledge.ledgerClass(row));
            assertThat(FramePatterns.isKnownLoading(row.example()))
                    .isEqualTo(row.means().endsWith(" known"));
        });
    }

    private static void frames() {
        assertThat(Knowledge.rows("frames.tsv")).allSatisfy(row -> {
            String[] means = row.means().split(" ");
            Frame frame = Frame.of(row.example());
            assertThat(FrameRole.valueOf(means[0]).of(frame)).isTrue();
            assertThat(List.of(new FrameRoles(frame).withoutClass(), frame.text()))
                    .anyMatch(
                            text -> Pattern.compile(row.pattern()).matcher(text).find());
            assertThat(means.length == 1 ? "any" : means[1])
                    .isIn("any", frame.language().label());
        });
    }

    private static void names() {
        assertThat(Knowledge.rows("names.tsv")).allSatisfy(row -> {
            assertThat(row.example()).containsPattern(row.pattern());
            assertThat(NameRole.valueOf(row.means()).in(row.example())).isTrue();
        });
        assertThat(NameRole.values())
                .allMatch(role -> Knowledge.rows("names.tsv").stream()
                        .anyMatch(row -> row.means().equals(role.name())));
    }

    private static void kernels() {
        assertThat(Knowledge.rows("kernels.tsv")).allSatisfy(row -> {
            assertThat(row.example()).containsPattern("(?i)" + row.pattern());
            assertThat(
                            KernelPatterns.isLibrary(row)
                                    ? "library " + KernelPatterns.library(row.example())
                                    : KernelPatterns.category(row.example()).name())
                    .isEqualTo(row.means());
        });
    }

    /** The description of a role is read beside its constant. */
    @Test
    void everyRoleOfFramesAndNamesIsDescribedAboveItsRows() throws IOException {
        String frames = new String(Objects.requireNonNull(Knowledge.class.getResourceAsStream("frames.tsv"))
                .readAllBytes());
        assertThat(FrameRole.values()).allSatisfy(role -> assertThat(frames).contains("# " + role.name() + ": "));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void noRowIsThereTwice(String table) {
        assertThat(KnowledgeTable.read(Knowledge.class, table, Function.identity()))
                .map(row -> String.join("\t", OF_KEYS.contains(table) ? row : Arrays.copyOf(row, row.length - 1)))
                .doesNotHaveDuplicates();
    }
}

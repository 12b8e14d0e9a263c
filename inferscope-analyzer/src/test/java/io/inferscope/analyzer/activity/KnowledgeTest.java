package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.knowledge.FrameRoles;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.knowledge.PatternTable;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Frame;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KnowledgeTest {
    @ParameterizedTest
    @ValueSource(strings = {"libraries.tsv", "calls.tsv", "system-calls.tsv"})
    void theExampleOfARowIsTheWholeOfItsPatternAndOfNoEarlierRow(String table) {
        List<Knowledge.Meaning<LedgerClass>> classes = Knowledge.classes(table);
        assertThat(Knowledge.rows(table)).isNotEmpty().allSatisfy(row -> {
            assertThat(row.example()).matches(row.pattern());
            assertThat(String.valueOf(Knowledge.whole(classes, row.example()))).isEqualTo(row.means());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"waits.tsv", "built-in-waits.tsv"})
    void theExampleOfARowHasItsPatternAndThatOfNoEarlierRow(String table) {
        List<Knowledge.Meaning<LedgerClass>> classes = Knowledge.classes(table);
        assertThat(Knowledge.rows(table)).isNotEmpty().allSatisfy(row -> {
            assertThat(row.example()).containsPattern(row.pattern());
            assertThat(String.valueOf(Knowledge.found(classes, row.example()))).isEqualTo(row.means());
        });
    }

    @Test
    void theExampleOfAScopeIsFoundByItsPatternAndNoEarlierRow() {
        PatternTable<Knowledge.Row> scopes = new PatternTable<>(Knowledge.inAnyCase("scopes.tsv"));
        assertThat(Knowledge.rows("scopes.tsv")).isNotEmpty().allSatisfy(row -> {
            assertThat(row.example()).containsPattern("(?i)" + row.pattern());
            assertThat(scopes.in(row.example()).map(Knowledge::ledgerClass)).hasValue(Knowledge.ledgerClass(row));
            assertThat(FramePatterns.isKnownLoading(row.example()))
                    .isEqualTo(row.means().endsWith(" known"));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"hlo.tsv", "remedies.tsv"})
    void theExampleOfARowIsFoundByItsPatternAndNoEarlierRow(String table) {
        List<Knowledge.Meaning<String>> meanings = Knowledge.rows(table).stream()
                .map(row -> new Knowledge.Meaning<>(row.means(), row.pattern()))
                .toList();
        assertThat(Knowledge.rows(table))
                .isNotEmpty()
                .allSatisfy(row ->
                        assertThat(Knowledge.found(meanings, row.example())).isEqualTo(row.means()));
    }

    @Test
    void theExampleOfAFrameHasTheRoleOfItsRowByItsOwnPattern() {
        assertThat(Knowledge.rows("frames.tsv")).isNotEmpty().allSatisfy(row -> {
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

    @Test
    void theExampleOfANameHasTheRoleOfItsRowByItsOwnPattern() {
        assertThat(Knowledge.rows("names.tsv")).isNotEmpty().allSatisfy(row -> {
            assertThat(row.example()).containsPattern(row.pattern());
            assertThat(NameRole.valueOf(row.means()).in(row.example())).isTrue();
        });
        assertThat(NameRole.values())
                .allMatch(role -> Knowledge.rows("names.tsv").stream()
                        .anyMatch(row -> row.means().equals(role.name())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "scopes.tsv",
                "libraries.tsv",
                "calls.tsv",
                "system-calls.tsv",
                "waits.tsv",
                "built-in-waits.tsv",
                "kernels.tsv",
                "device-operators.tsv",
                "frames.tsv",
                "names.tsv"
            })
    void noRowIsThereTwice(String table) {
        assertThat(Knowledge.rows(table))
                .map(row -> row.means() + ' ' + row.pattern())
                .doesNotHaveDuplicates();
    }

    @Test
    void theExampleOfADeviceOperatorIsFoundByItsPattern() {
        assertThat(Knowledge.rows("device-operators.tsv"))
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.example()).containsPattern(row.pattern()));
    }
}

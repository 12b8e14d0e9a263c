package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.knowledge.FirstMatch;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.LedgerClass;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KnowledgeTest {
    @ParameterizedTest
    @ValueSource(strings = {"libraries.tsv", "calls.tsv"})
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
            assertThat(String.valueOf(Knowledge.found(classes, row.example(), row.example())))
                    .isEqualTo(row.means());
        });
    }

    @Test
    void theExampleOfAScopeIsFoundByItsPatternAndNoEarlierRow() {
        FirstMatch<LedgerClass> classes = new FirstMatch<>(Knowledge.classesInAnyCase("scopes.tsv"));
        assertThat(Knowledge.rows("scopes.tsv")).isNotEmpty().allSatisfy(row -> {
            assertThat(row.example()).containsPattern("(?i)" + row.pattern());
            assertThat(classes.in(row.example())).hasValue(Knowledge.ledgerClass(row));
            assertThat(NamePatterns.isKnownLoading(row.example()))
                    .isEqualTo(row.means().endsWith(" known"));
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "scopes.tsv",
                "libraries.tsv",
                "calls.tsv",
                "waits.tsv",
                "built-in-waits.tsv",
                "kernels.tsv",
                "device-operators.tsv"
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

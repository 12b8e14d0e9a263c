package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.timeline.files.KnowledgeTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClaimRowsTest {
    private static final List<String[]> ROWS = KnowledgeTable.read(Knowledge.class, "claims.tsv", Function.identity());

    /** The arguments of a call that names rows. */
    private static final Pattern CALL = Pattern.compile("[.]claim\\(((?:[^()]|\\([^()]*\\))*)\\)");

    private static final Pattern TOPIC = Pattern.compile("\"([a-z0-9-]+(?:[.][a-z-]+)?)\"");

    static Set<String> topics() {
        return ROWS.stream().map(row -> row[0]).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyRowHasATopicOfItsOwnAndAText() {
        assertThat(ROWS).extracting(row -> row[0]).doesNotHaveDuplicates();
        assertThat(ROWS).allSatisfy(row -> {
            assertThat(row).hasSize(2);
            assertThat(row[1].replaceAll("\\{[a-z ]+}", "x"))
                    .isEqualTo(row[1].replaceAll("\\{[a-z ]+}", "x").strip())
                    .isNotEmpty()
                    .doesNotContain("{", "}", "  ");
        });
    }

    @Test
    void everyRowIsOfARuleOrNamedByOneAndEveryNameHasARow() throws IOException {
        Set<String> ids = Rules.ALL.stream().map(rule -> rule.info().id()).collect(Collectors.toSet());
        StringBuilder code = new StringBuilder();
        try (Stream<Path> files = Files.list(Path.of("src/main/java/io/inferscope/analyzer/rules"))) {
            for (Path file : files.toList()) {
                code.append(Files.readString(file));
            }
        }
        Set<String> named = CALL.matcher(code)
                .results()
                .flatMap(call -> TOPIC.matcher(call.group(1)).results())
                .map(topic -> topic.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(topics()).containsAll(named);
        assertThat(topics())
                .allSatisfy(topic -> assertThat(ids.contains(topic) || code.indexOf('"' + topic + '"') >= 0)
                        .as(topic)
                        .isTrue());
    }
}

package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.timeline.files.KnowledgeTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClaimRowsTest {
    private static final List<String[]> ROWS = KnowledgeTable.read(Knowledge.class, "claims.tsv", Function.identity());

    private static final Path RULES = Path.of("src/main/java/io/inferscope/analyzer/rules");

    /** The arguments of a call that names rows. */
    private static final Pattern CALL =
            Pattern.compile("(?:[.]claim|FindingBuilder[.]text)\\(((?:[^()]|\\([^()]*\\))*)\\)");

    private static final Pattern TOPIC = Pattern.compile("\"([a-z0-9-]+(?:[.][a-z-]+)?)\"");

    /** The names of a rule's own rows, which begin with its id. */
    private static final Pattern CASES = Pattern.compile("\\b(?:row|notApplicable|limit)\\(([^()]*)\\)");

    private static final Pattern NAME = Pattern.compile("\"([a-z-]+)\"");

    static Set<String> topics() {
        return ROWS.stream().map(row -> row[0]).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns whether a case of a rule, behind a dot, is a text in the rule's class. */
    static boolean isNamed(String row) {
        String[] parts = row.split("[.]", 2);
        return parts.length == 2
                && Rules.ALL.stream()
                        .filter(rule -> rule.info().id().equals(parts[0]))
                        .anyMatch(rule -> code(rule).contains('"' + parts[1] + '"'));
    }

    static String code(Rule rule) {
        try {
            return Files.readString(RULES.resolve(rule.getClass().getSimpleName() + ".java"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        try (Stream<Path> files = Files.list(RULES)) {
            for (Path file : files.toList()) {
                code.append(Files.readString(file));
            }
        }
        Set<String> named = CALL.matcher(CASES.matcher(code).replaceAll(""))
                .results()
                .flatMap(call -> TOPIC.matcher(call.group(1)).results())
                .map(topic -> topic.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(topics()).containsAll(named);
        assertThat(topics())
                .allSatisfy(topic -> assertThat(
                                ids.contains(topic) || code.indexOf('"' + topic + '"') >= 0 || isNamed(topic))
                        .as(topic)
                        .isTrue());
    }

    @Test
    void everyCaseThatARuleNamesHasARow() {
        Set<String> rows = topics();
        Advice.Row.ALL.forEach(row -> rows.add(row.topic()));
        rows.addAll(Threshold.byKey().keySet());
        Map<Class<?>, List<Rule>> classes = Rules.ALL.stream().collect(Collectors.groupingBy(Object::getClass));

        assertThat(classes.values())
                .allSatisfy(rules -> CASES.matcher(code(rules.get(0)))
                        .results()
                        .flatMap(call -> NAME.matcher(call.group(1)).results())
                        .forEach(name -> assertThat(rules)
                                .anyMatch(rule -> rows.contains(rule.info().id() + '.' + name.group(1)))));
    }
}

package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.timeline.files.KnowledgeTable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ThresholdRowsTest {
    /** Returns the thresholds whose rows name a rule. */
    static List<Threshold> of(RuleInfo rule) {
        return rows().filter(row -> List.of(row[2].split(" ")).contains(rule.id()))
                .map(row -> Threshold.of(row[0]))
                .toList();
    }

    private static Stream<String[]> rows() {
        return KnowledgeTable.read(Knowledge.class, "thresholds.tsv", Function.identity()).stream();
    }

    static Collection<Threshold> all() {
        return Threshold.byKey().values();
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyDefaultCanBeSaidInAFile(Threshold threshold) {
        assertThat(threshold.unit().parse(Double.toString(threshold.value()))).hasValue(threshold.value());
        assertThat(threshold.doc()).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource({
        "gpu-idle.share, RATIO",
        "trust.profiler.noted-share, RATIO",
        "launch-bound.kernel-ns, NS",
        "trust.first-operation.ns, NS",
        "memory-pressure.swapped-bytes, BYTES",
        "pcie-saturation.link-bytes-per-second, BYTES_PER_SECOND",
        "cpu-oversubscription.ratio, COUNT",
        "steady.steps, COUNT"
    })
    void theEndOfAKeySaysItsUnit(String key, MeasureUnit unit) {
        assertThat(threshold(key).unit()).isEqualTo(unit);
    }

    @Test
    void rowsOfRulesBeginWithTheirIdUnlessSeveralShareThem() {
        Set<String> ids = Rules.ALL.stream().map(rule -> rule.info().id()).collect(Collectors.toSet());

        assertThat(rows().filter(row -> !row[2].equals("-"))).allSatisfy(row -> {
            List<String> rules = List.of(row[2].split(" "));
            assertThat(ids).containsAll(rules);
            assertThat(rules.size() > 1 || row[0].startsWith(rules.get(0) + '.'))
                    .as(row[0])
                    .isTrue();
        });
    }

    @Test
    void eachRowIsUsed() throws IOException {
        StringBuilder code = new StringBuilder();
        try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                code.append(Files.readString(file));
            }
        }
        Set<String> families =
                Rules.ALL.stream().map(rule -> rule.info().id() + ".share").collect(Collectors.toSet());

        assertThat(rows().map(row -> row[0]))
                .doesNotHaveDuplicates()
                .allSatisfy(key -> assertThat(code.indexOf('"' + key + '"') >= 0
                                || code.indexOf("ID + \"" + key.substring(key.indexOf('.')) + '"') >= 0
                                || families.contains(key)
                                || ClaimRowsTest.isNamed(key))
                        .as(key)
                        .isTrue());
    }

    /** A limit is looked up when it is first asked for, so a name without a row would show late. */
    @Test
    void eachLimitThatAClassNamesHasARow() throws Exception {
        int named = 0;
        Path sources = Path.of("src", "main", "java");
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (Files.readString(file).contains("Threshold.of(")) {
                    String path = sources.relativize(file).toString();
                    Class<?> type = Class.forName(path.replace(".java", "").replace('/', '.'));
                    for (Field field : type.getDeclaredFields()) {
                        if (field.getType() == Threshold.class && Modifier.isStatic(field.getModifiers())) {
                            field.setAccessible(true);
                            assertThat(((Threshold) field.get(null)).doc()).isNotBlank();
                            named++;
                        }
                    }
                }
            }
        }
        assertThat(named).isGreaterThan(50);
    }

    @Test
    void whatIsSetChangesAndTheRestStays() {
        Thresholds set = Thresholds.defaults().with(Map.of(threshold("gpu-idle.share"), 0.5));

        assertThat(set.get(threshold("gpu-idle.share"))).isEqualTo(0.5);
        assertThat(set.get(Thresholds.GPU_BOUND)).isEqualTo(Thresholds.GPU_BOUND.value());
        assertThat(Thresholds.defaults().get(threshold("gpu-idle.share"))).isEqualTo(0.05);
    }

    private static Threshold threshold(String key) {
        Threshold threshold = Threshold.byKey().get(key);
        assertThat(threshold).as(key).isNotNull();
        return threshold;
    }
}

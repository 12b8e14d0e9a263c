package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.knowledge.Knowledge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which names mean what stands in tables: mechanisms name no product, and few of them compile a pattern. */
class MechanismsTest {
    private static final Path SOURCES = Path.of("src/main/java/io/inferscope/analyzer");

    private static final Pattern PRODUCT = Pattern.compile(
            "(?i)torch|vllm|sglang|triton|\\bjax|onnx|tensorrt|trtexec|numpy|scipy|openblas|transformers|tensorflow|cudnn"
                    + "|cublas|cutlass|nccl|gloo|asyncio|multiprocessing|joblib|loky|gevent|uvicorn|dynamo|inductor|fsdp"
                    + "|deepspeed|aten::|c10::|(?-i:HotSpot)|kineto|nsys|rocprof|llama");

    /** The syntax of what users write, the wording of our own sentences, and numbers and folders in names. */
    private static final Set<String> MAY_COMPILE = Set.of(
            "config/RuleEntry.java",
            "limits/LimitParser.java",
            "model/MeasureUnit.java",
            "Contradictions.java",
            "rules/FindingBuilder.java",
            "rules/EngineSteps.java",
            "steps/StepNames.java",
            "knowledge/FramePatterns.java",
            "tables/HloTable.java",
            "diff/StableNames.java");

    /** Tables of patterns. */
    private static final Set<String> TABLES = Set.of(
            "knowledge/PatternTable.java", "knowledge/Knowledge.java", "rules/PcieLink.java", "work/WorkFormulas.java");

    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");
    private static final Pattern TEXT = Pattern.compile("\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"");

    @Test
    void noMechanismNamesAProduct() throws IOException {
        Map<String, String> named = new TreeMap<>();
        Map<String, String> sources = sources(SOURCES);
        for (String module : List.of("shapes", "report", "fleet")) {
            sources.putAll(sources(Path.of("..", "inferscope-" + module, "src/main/java")));
        }
        assertThat(sources).hasSizeGreaterThan(500);
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Matcher text = TEXT.matcher(COMMENT.matcher(source.getValue()).replaceAll(""));
            while (text.find()) {
                if (PRODUCT.matcher(text.group(1)).find()) {
                    named.put(source.getKey(), text.group(1));
                }
            }
        }

        assertThat(named).as("name it in a row of a table in knowledge").isEmpty();
    }

    @Test
    void patternsOutsideOfTablesAreInTheListedFilesOnly() throws IOException {
        Set<String> compile = new TreeSet<>();
        for (Map.Entry<String, String> source : sources(SOURCES).entrySet()) {
            if (source.getValue().contains("Pattern.compile(")) {
                compile.add(source.getKey());
            }
        }
        compile.removeAll(TABLES);

        assertThat(compile).as("make it a row of names.tsv or frames.tsv").isEqualTo(MAY_COMPILE);
    }

    /** A lint that sees nothing would pass always. */
    @Test
    void theLintSeesTheProductsThatTablesName() {
        assertThat(Knowledge.rows("frames.tsv").stream()
                        .filter(row -> PRODUCT.matcher(row.pattern()).find()))
                .hasSizeGreaterThan(20);
        assertThat(TEXT.matcher("case \"cudnn_convolution\" -> 3;").results())
                .allMatch(text -> PRODUCT.matcher(text.group(1)).find())
                .hasSize(1);
    }

    /** A distribution keeps all tables in one folder. */
    @Test
    void noTwoModulesHaveATableOfOneName() throws IOException {
        List<String> tables = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of("..").toRealPath())) {
            for (Path resources : modules.map(module -> module.resolve("src/main/resources"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(resources)) {
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".tsv"))
                            .forEach(tables::add);
                }
            }
        }

        assertThat(tables).hasSizeGreaterThan(25).doesNotHaveDuplicates();
    }

    private static Map<String, String> sources(Path root) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                sources.put(root.relativize(file).toString(), Files.readString(file));
            }
        }
        return sources;
    }
}

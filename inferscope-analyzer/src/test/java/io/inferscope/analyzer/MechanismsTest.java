package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** What names products by its nature: tables of knowledge, advice, models of operators, the documentation of columns. */
    private static final Set<String> MAY_NAME = Set.of("knowledge", "rules", "trust", "work", "model");

    private static final Pattern PRODUCT = Pattern.compile(
            "(?i)torch|vllm|sglang|triton|\\bjax|onnx|tensorrt|trtexec|numpy|scipy|openblas|transformers|tensorflow|cudnn"
                    + "|cublas|cutlass|nccl|gloo|asyncio|multiprocessing|joblib|loky|gevent|uvicorn|dynamo|inductor|fsdp"
                    + "|deepspeed|aten::|c10::|hotspot|kineto|nsys|rocprof|llama");

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
            "knowledge/FirstMatch.java", "knowledge/Knowledge.java", "rules/PcieLink.java", "work/OperatorTable.java");

    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");
    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    @Test
    void noMechanismNamesAProduct() throws IOException {
        Map<String, String> named = new TreeMap<>();
        for (Map.Entry<String, String> source : sources().entrySet()) {
            String folder = source.getKey().split("/")[0];
            Matcher text = TEXT.matcher(COMMENT.matcher(source.getValue()).replaceAll(""));
            while (!MAY_NAME.contains(folder) && text.find()) {
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
        for (Map.Entry<String, String> source : sources().entrySet()) {
            if (source.getValue().contains("Pattern.compile(")) {
                compile.add(source.getKey());
            }
        }
        compile.removeAll(TABLES);

        assertThat(compile).as("make it a row of names.tsv or frames.tsv").isEqualTo(MAY_COMPILE);
    }

    /** A lint that sees nothing would pass always. */
    @Test
    void theLintSeesTheProductsThatAdviceNames() throws IOException {
        assertThat(sources()).hasSizeGreaterThan(300);
        assertThat(sources().entrySet().stream()
                        .filter(source -> source.getKey().startsWith("rules/"))
                        .filter(source -> PRODUCT.matcher(source.getValue()).find()))
                .hasSizeGreaterThan(5);
    }

    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                sources.put(SOURCES.relativize(file).toString(), Files.readString(file));
            }
        }
        return sources;
    }
}

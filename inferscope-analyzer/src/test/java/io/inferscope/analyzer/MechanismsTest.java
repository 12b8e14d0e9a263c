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

    /** What reads the free text of a row, which is for people: all of these show it again, or parse its JSON. */
    private static final Set<String> READ_DETAIL = Set.of(
            "activity/ActivityClassifier.java",
            "rules/BusyEventLoopRule.java",
            "rules/GraphBreaksRule.java",
            "rules/LimitedTasksRule.java",
            "rules/RecompilationRule.java",
            "tables/OwnPlaces.java",
            "trust/KnownAccelerator.java");

    /** A comparison of a text with a literal or a constant. */
    private static final Pattern COMPARED = Pattern.compile(
            "\\.(startsWith|endsWith|contains|equals|indexOf|lastIndexOf|split|matches|replace|replaceFirst|replaceAll)"
                    + "\\(\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([A-Z][A-Z_0-9]*)\\b)");

    private static final Pattern CONSTANT =
            Pattern.compile("String ([A-Z][A-Z_0-9]*)\\s*=\\s*\"((?:[^\"\\\\]|\\\\.)*)\";");

    private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'");

    /** Shorter words are found by chance. */
    private static final int SHORTEST = 4;

    private static final Pattern WORD = Pattern.compile("[A-Za-z]{3}");

    /** Names of counters, ranges and files that have one form, and names of other tools that a recorder knows as well. */
    private static final Set<String> COMPARE = Set.of("""
            Advice: GraphLaunch
            Analysis: probe
            BusyEventLoopRule: event loop turn
            CallsRule: Async
            CallsRule: Managed
            CallsRule: Memcpy
            CallsRule: Pinned
            CallsRule: StreamEndCapture
            ChildProcessRule: host.unseen_children_cpu_ns
            ClocksAreTied: realtime
            ConsoleLive: nvml.utilisation_ratio
            CostlyPlaceRule: .__init__
            EngineSteps: DECODE
            EngineSteps: execute_
            FleetInputs: .xplane.pb
            ForwardPasses: forward
            FramePatterns: -packages/
            FramePatterns: /dist-packages/
            FramePatterns: /site-packages/
            FramePatterns: <built-in
            FramePatterns: forward
            GraphBreaksRule: graph break
            HloTable: custom-call
            HostComputing: cuda-agent
            LedgerMetrics: gpu.
            LimitedTasksRule: Queue
            LimitedTasksRule: event loop limit
            MachineFigures: host.
            MachineFigures: nvml.
            MachineFigures: perf.
            MemoryPressureRule: host.swap_bytes
            Message: alltoall
            Message: send
            OperationLengths: Memcpy
            ProfilerIsSmall: cuda-agent
            ProfilerIsSmall: shapes
            RecompilationRule: traced
            RecordingCost: host
            RecordingCost: inferscope
            RecordingProperty: gc.collect
            RecordingProperty: python
            RecordingTables: unknown
            RepeatedLoadsRule: TLS certificates
            Report: device
            RowClasses: <built-in
            SamplesCarryTime: packed
            ShapeRenderer: json
            ShapeTables: host
            StepNames: forward
            StepNames: generate
            StreamOverlaps: HtoH
            ThreadTime: <built-in
            Threads: main
            TrainingModeRule: dropout
            """.split("\n"));

    private static final List<String> RECORDERS = List.of(
            "python/inferscope",
            "native/agent",
            "inferscope-scope/src/main/java",
            "inferscope-collectors/src/main/java",
            "inferscope-formats/src/main/java",
            "inferscope-timeline/src/main/java");

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

    @Test
    void theTextForPeopleIsReadInTheListedFilesOnly() throws IOException {
        Set<String> read = new TreeSet<>();
        for (Map.Entry<String, String> source : sources(SOURCES).entrySet()) {
            if (source.getValue().contains("Attribute.DETAIL")
                    || source.getValue().contains("JsonValues.ofDetail")) {
                read.add(source.getKey());
            }
        }

        assertThat(read).as("store a value beside the text").isEqualTo(READ_DETAIL);
    }

    /**
     * A rule that compares a text with the very words that a recorder or an importer writes stops to fire without an
     * error when those words change.
     */
    @Test
    void wordsOfRecordersAreComparedInTheListedPlacesOnly() throws IOException {
        TreeSet<String> written = writtenByRecorders();
        Set<String> compared = new TreeSet<>();
        for (String module : List.of("analyzer", "report", "fleet")) {
            sources(Path.of("..", "inferscope-" + module, "src/main/java/io/inferscope"))
                    .forEach((file, source) -> compared.addAll(compared(file, source, written)));
        }

        assertThat(compared)
                .as("share the constant, or store a value beside the text")
                .isEqualTo(COMPARE);
    }

    @Test
    void theLintSeesAWordOfTheProbeThatARuleCompares() throws IOException {
        TreeSet<String> written = writtenByRecorders();
        assertThat(compared("a/Rule.java", "String LIMIT = \"event loop limit\"; name.equals(LIMIT)", written))
                .containsExactly("Rule: event loop limit");
        assertThat(compared("Rule.java", "detail.startsWith(\"same \")", written))
                .hasSize(1);
        assertThat(compared("Rule.java", "detail.startsWith(\"unheard of\")", written))
                .isEmpty();
    }

    private static Set<String> compared(String file, String source, TreeSet<String> written) {
        String code = COMMENT.matcher(source).replaceAll("");
        Map<String, String> constants = new TreeMap<>();
        CONSTANT.matcher(code).results().forEach(found -> constants.put(found.group(1), found.group(2)));
        Set<String> compared = new TreeSet<>();
        COMPARED.matcher(code).results().forEach(found -> {
            String text = found.group(2) == null ? constants.getOrDefault(found.group(3), "") : found.group(2);
            boolean begins = found.group(1).equals("startsWith");
            String next = written.ceiling(text);
            boolean known = written.contains(text.strip()) || (next != null && begins && next.startsWith(text));
            if (known && text.strip().length() >= SHORTEST && WORD.matcher(text).find()) {
                compared.add(file.replaceAll(".*/|\\.java$", "") + ": " + text.strip());
            }
        });
        return compared;
    }

    /** Returns the texts in the sources of recorders and importers. */
    private static TreeSet<String> writtenByRecorders() throws IOException {
        TreeSet<String> written = new TreeSet<>();
        for (String root : RECORDERS) {
            try (Stream<Path> files = Files.walk(Path.of("..", root))) {
                for (Path file : files.filter(f -> f.toString().matches(".*\\.(java|py|c|h)"))
                        .toList()) {
                    for (String line : Files.readString(file).lines().toList()) {
                        QUOTED.matcher(line).results().forEach(text -> {
                            written.add(text.group(1) == null ? text.group(2) : text.group(1));
                        });
                    }
                }
            }
        }
        return written;
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

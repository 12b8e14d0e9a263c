package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.RealTraces;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No piece of advice for another machine, another language, or against what another piece says. */
class AdviceRowsTest {
    /** Words, and the fact without which they must not be said. */
    private static final Map<Pattern, RecordingProperty> ONLY_WITH = Map.of(
            Pattern.compile("\\bncu\\b|nvidia-smi|CUDA_MODULE_LOADING|expandable_segments"),
            RecordingProperty.NVIDIA,
            Pattern.compile("rocprof|HIP_VISIBLE"),
            RecordingProperty.GPU,
            Pattern.compile("\\bGPU\\b|CUDA graph"),
            RecordingProperty.GPU,
            Pattern.compile("jax\\.jit"),
            RecordingProperty.XLA,
            Pattern.compile("torch\\.(set_num_threads|compile)|non_blocking|pin_memory"),
            RecordingProperty.TORCH,
            Pattern.compile("-XX:"),
            RecordingProperty.JVM,
            Pattern.compile("use_fast"),
            RecordingProperty.TRANSFORMERS);

    /** Words, and the fact beside which they must not be said. */
    private static final Map<Pattern, RecordingProperty> NEVER_WITH = Map.of(
            Pattern.compile("OMP_NUM_THREADS|use_fast|DataLoader|max_workers|gc\\.freeze|torch\\."),
            RecordingProperty.JVM,
            Pattern.compile("torch\\.set_num_threads|`out=`"),
            RecordingProperty.NATIVE,
            Pattern.compile("ncu|nvidia-smi|CUDA_MODULE_LOADING"),
            RecordingProperty.AMD,
            Pattern.compile("fused attention"),
            RecordingProperty.FUSED_ATTENTION,
            Pattern.compile("more workers|more threads\\."),
            RecordingProperty.TOO_MANY_THREADS,
            Pattern.compile("reduce-overhead"),
            RecordingProperty.GPU_BUSY);

    /** Pairs that no one report may hold. */
    private static final List<List<Pattern>> CONTRADICTIONS = List.of(
            List.of(Pattern.compile("CUDA_MODULE_LOADING=LAZY"), Pattern.compile("CUDA_MODULE_LOADING=EAGER")),
            List.of(Pattern.compile("more workers"), Pattern.compile("max_workers=\\d|OMP_NUM_THREADS=\\d")),
            List.of(Pattern.compile("make its kernels cheaper first"), Pattern.compile("reduce-overhead")));

    private static final Pattern CASE = Pattern.compile("\"((?:" + ids() + ")[.][a-z0-9-]+)\"");

    private static String ids() {
        return Rules.ALL.stream().map(rule -> rule.info().id()).collect(Collectors.joining("|"));
    }

    /** Classes of time that only programs with device work have. */
    private static final Pattern OF_DEVICES =
            Pattern.compile("GPU_COMPUTE|GPU_COMMUNICATION|COPY_\\w+|FRAMEWORK_ALLOCATION"
                    + "|FRAMEWORK_COMPILE_LOAD[.]context|copy-heavy.*|launch-bound.*");

    /** Returns whether a topic is only of programs with such facts. */
    private static boolean isOf(String topic, Set<RecordingProperty> facts) {
        String id = topic.replaceFirst("[.].*", "");
        boolean device = OF_DEVICES.matcher(topic).matches()
                || Rules.ALL.stream()
                        .map(Rule::info)
                        .anyMatch(rule -> rule.id().equals(id)
                                && (rule.needs().contains(Needs.DEVICE_WORK) || id.equals("roofline-gap")));
        boolean shapes = id.equals("roofline-gap"); // Of operators, which only PyTorch's recordings hold.
        return (!device || facts.contains(RecordingProperty.GPU))
                && (!shapes || facts.contains(RecordingProperty.TORCH));
    }

    /** The topics on which programs are told different things. */
    static Set<String> topics() {
        return Advice.Row.ALL.stream()
                .filter(row -> !row.isForAll())
                .map(Advice.Row::topic)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyRowIsOfARuleOrAClassOfTimeAndItsConditionsAreKnown() {
        Set<String> known = new TreeSet<>(Set.of("one-off", "record-device"));
        Rules.ALL.forEach(rule -> known.add(rule.info().id()));
        Stream.of(LedgerClass.values()).map(Enum::name).forEach(known::add);
        Set<String> conditions = new TreeSet<>();
        Stream.of(RecordingProperty.values()).map(Enum::name).forEach(conditions::add);
        Stream.of(Advice.Figure.values()).map(Enum::name).forEach(conditions::add);

        assertThat(Advice.Row.ALL).doesNotHaveDuplicates().isNotEmpty().allSatisfy(row -> {
            assertThat(known).contains(row.topic().replaceFirst("[.].*", ""));
            for (String condition :
                    row.isForAll() ? new String[0] : row.conditions().split(" ")) {
                assertThat(conditions).contains(condition.replaceFirst("^!", "").replaceFirst("(>=|<)[0-9.]+$", ""));
            }
        });
    }

    /** A case that no row has would leave its finding without advice. */
    @Test
    void theCasesThatRulesNameAreThoseOfTheTable() throws IOException {
        Set<String> named = new TreeSet<>();
        try (Stream<Path> files = Files.list(Path.of("src/main/java/io/inferscope/analyzer/rules"))) {
            for (Path file : files.toList()) {
                CASE.matcher(Files.readString(file)).results().forEach(one -> named.add(one.group(1)));
            }
        }
        Set<String> cases = Advice.Row.ALL.stream()
                .map(Advice.Row::topic)
                .filter(topic -> topic.matches("[a-z-]+[.].*"))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(cases).allMatch(one -> named.contains(one) || ClaimRowsTest.isNamed(one));
        named.removeAll(cases);
        named.removeAll(Threshold.byKey().keySet());
        assertThat(ClaimRowsTest.topics()).containsAll(named);
    }

    /** Facts as they can come together: one vendor, one runtime, one engine. */
    private static Set<RecordingProperty> facts(Random random) {
        Set<RecordingProperty> facts = EnumSet.noneOf(RecordingProperty.class);
        for (RecordingProperty fact : RecordingProperty.values()) {
            if (random.nextBoolean()) {
                facts.add(fact);
            }
        }
        keepOne(
                facts,
                random,
                List.of(
                        RecordingProperty.TORCH,
                        RecordingProperty.ONNX,
                        RecordingProperty.XLA,
                        RecordingProperty.TENSORRT,
                        RecordingProperty.JVM));
        if (facts.contains(RecordingProperty.JVM)) {
            facts.remove(RecordingProperty.NATIVE);
        }
        if (!facts.contains(RecordingProperty.TORCH)) {
            facts.removeAll(Set.of(RecordingProperty.VLLM, RecordingProperty.SGLANG));
        }
        if (!facts.contains(RecordingProperty.XLA) && !facts.contains(RecordingProperty.TENSORRT)) {
            facts.remove(RecordingProperty.BLOCKS);
        }
        if (facts.contains(RecordingProperty.BLOCKS)) {
            facts.remove(RecordingProperty.OWN_KERNELS);
        }
        if (facts.containsAll(Set.of(RecordingProperty.VLLM, RecordingProperty.SGLANG))) {
            facts.remove(RecordingProperty.VLLM);
        }
        if (facts.containsAll(Set.of(RecordingProperty.NVIDIA, RecordingProperty.AMD))) {
            facts.remove(RecordingProperty.NVIDIA);
        }
        if (!facts.contains(RecordingProperty.GPU)) {
            facts.removeAll(Set.of(RecordingProperty.NVIDIA, RecordingProperty.AMD, RecordingProperty.GPU_BUSY));
            if (random.nextBoolean()) {
                facts.removeAll(Set.of(RecordingProperty.TORCH, RecordingProperty.VLLM, RecordingProperty.SGLANG));
            }
        }
        return facts;
    }

    private static void keepOne(Set<RecordingProperty> facts, Random random, List<RecordingProperty> exclusive) {
        RecordingProperty kept = exclusive.get(random.nextInt(exclusive.size()));
        facts.removeAll(exclusive);
        facts.add(kept);
    }

    @Test
    void everyTopicFitsWhatTheRecordingShows() {
        Set<String> wrong = new TreeSet<>();
        Random random = new Random(23);
        for (int i = 0; i < Seeds.of(2_000, 20); i++) {
            Set<RecordingProperty> facts = facts(random);
            for (String topic : topics()) {
                if (!isOf(topic, facts)) {
                    continue;
                }
                String text = Advice.of(topic, facts::contains, Map.of());
                if (text.isEmpty() || !text.endsWith(".")) {
                    wrong.add(topic + " says '" + text + "' with " + facts);
                }
                unfit(text, facts).forEach(why -> wrong.add(topic + ": " + why));
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static List<String> unfit(String text, Set<RecordingProperty> facts) {
        List<String> why = new ArrayList<>();
        ONLY_WITH.forEach((words, fact) -> {
            if (words.matcher(text).find() && !facts.contains(fact)) {
                why.add("'" + text + "' without " + fact);
            }
        });
        NEVER_WITH.forEach((words, fact) -> {
            if (words.matcher(text).find() && facts.contains(fact)) {
                why.add("'" + text + "' in spite of " + fact);
            }
        });
        return why;
    }

    @Tag("traces")
    @Test
    void everyAdviceOnRealTracesFits() throws Exception {
        List<String> wrong = new ArrayList<>();
        for (Path trace : SharedTraces.forCostlyTests(SharedTraces.chrome())) {
            Report report = RealTraces.report(trace);
            Set<RecordingProperty> facts = of(Analysis.of(SharedTraces.timeline(trace), Thresholds.defaults()));
            StringBuilder all = new StringBuilder();
            for (Finding finding : report.findings()) {
                all.append(finding.advice()).append('\n');
                unfit(finding.advice(), facts)
                        .forEach(why -> wrong.add(RealTraces.name(trace) + ", " + finding.rule() + ": " + why));
            }
            for (List<Pattern> pair : CONTRADICTIONS) {
                if (pair.stream().allMatch(words -> words.matcher(all).find())) {
                    wrong.add(RealTraces.name(trace) + " is told " + pair);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Tag("traces")
    @Test
    void vendorsOfRealTracesAreKnown() throws Exception {
        assertThat(facts("mi300-qwen1.5")).contains(RecordingProperty.AMD).doesNotContain(RecordingProperty.NVIDIA);
        assertThat(facts("mi250-minitoy")).contains(RecordingProperty.AMD).doesNotContain(RecordingProperty.NVIDIA);
        assertThat(facts("h100-timesformer")).contains(RecordingProperty.NVIDIA).doesNotContain(RecordingProperty.AMD);
        assertThat(facts("mi300-qwen1.5")).contains(RecordingProperty.FUSED_ATTENTION, RecordingProperty.GPU_BUSY);
        assertThat(facts("h100-timesformer")).doesNotContain(RecordingProperty.FUSED_ATTENTION);
    }

    private static Set<RecordingProperty> facts(String trace) throws Exception {
        return of(Analysis.of(SharedTraces.timeline(SharedTraces.kineto(trace)), Thresholds.defaults()));
    }

    private static Set<RecordingProperty> of(Analysis analysis) {
        return Stream.of(RecordingProperty.values())
                .filter(fact -> fact.holds(analysis))
                .collect(Collectors.toSet());
    }

    /** 981 ms of {@code cudaFree} before anything runs. */
    @Tag("traces")
    @Test
    void theFirstCallForMemoryMakesTheContext() throws Exception {
        Path trace = SharedTraces.folder().resolve("more").resolve("param-linear.json.gz");
        Finding first = RealTraces.report(trace).findings().stream()
                .filter(finding -> finding.rule().equals("outside-span"))
                .findFirst()
                .orElseThrow();

        assertThat(first.claim()).endsWith("is compile and load.");
        assertThat(first.advice()).startsWith("The first call into the driver creates the context");
    }

    @Test
    void manyChecksOfSizesAreNamed() {
        assertThat(launchingLess(999)).doesNotContain("SIZE_ASSERTS");
        assertThat(launchingLess(1000)).contains("TORCHINDUCTOR_SIZE_ASSERTS=0");
    }

    private static String launchingLess(int checks) {
        TimelineFixture fixture = TimelineFixture.blank().kernel("7", 0, 1, "gemm");
        for (int i = 0; i < checks; i++) {
            fixture.python("main", i, i + 1, "<built-in function assert_size_stride>");
        }
        return Advice.of("launch-bound", Analysis.of(fixture.build(), Thresholds.defaults()));
    }

    @Test
    void anObservedProgramWithoutPyTorchIsNotToldOfIt() {
        TimelineFixture plain = TimelineFixture.blank()
                .property("process.1.runtime", "CPython 3.11")
                .python("main", 0, 10, "/home/torch/app.py(1): run")
                .python(
                        "main",
                        2,
                        8,
                        "/envs/my-torch-2/lib/python3.11/site-packages/numpy/linalg.py(7): is_torch_array");
        TimelineFixture torch = TimelineFixture.blank()
                .property("process.1.runtime", "CPython 3.11")
                .python("main", 0, 10, "torch/nn/functional.py(1): linear");

        assertThat(of(Analysis.of(plain.build(), Thresholds.defaults()))).doesNotContain(RecordingProperty.TORCH);
        assertThat(of(Analysis.of(torch.build(), Thresholds.defaults()))).contains(RecordingProperty.TORCH);
        assertThat(Advice.of("WAIT_RUN_QUEUE", fact -> false, Map.of()))
                .contains("OMP_NUM_THREADS")
                .doesNotContain("torch");
    }

    @Test
    void aProgramOfOneThreadHasNoPoolOfItsOwn() {
        TimelineFixture one = TimelineFixture.blank().python("main", 0, 10, "app.py(1): run");
        TimelineFixture two = TimelineFixture.blank()
                .python("main", 0, 10, "app.py(1): run")
                .python("pool", 0, 10, "app.py(9): work");

        assertThat(of(Analysis.of(one.build(), Thresholds.defaults()))).doesNotContain(RecordingProperty.OWN_THREADS);
        assertThat(of(Analysis.of(two.build(), Thresholds.defaults()))).contains(RecordingProperty.OWN_THREADS);
        assertThat(Advice.of("cpu-oversubscription.own", fact -> false, Map.of()))
                .doesNotContain("max_workers");
        assertThat(Advice.of("cpu-oversubscription.own", Set.of(RecordingProperty.OWN_THREADS)::contains, Map.of()))
                .doesNotContain("max_workers", "pools");
        assertThat(Advice.of(
                        "cpu-oversubscription.own",
                        Set.of(RecordingProperty.OWN_THREADS, RecordingProperty.POOL)::contains,
                        Map.of()))
                .contains("max_workers");
    }

    @Test
    void otherVendorsDevicesAreNotToldOfCudaGraphs() {
        TimelineFixture fixture = TimelineFixture.blank()
                .operator("main", 0, 30, "aten::mm")
                .kernel("7", 20, 25, "gemm_kernel")
                .launchedBy("main", 2, 18, "urEnqueueKernelLaunch");

        assertThat(Advice.of("launch-bound", Analysis.of(fixture.build(), Thresholds.defaults())))
                .contains("fuse small kernels")
                .doesNotContain("CUDA");
    }

    @Test
    void anEnqueuedNetworkIsNoLaunchOfAKernel() {
        assertThat(Advice.of(
                        "slow-launch-calls",
                        Set.of(RecordingProperty.GPU, RecordingProperty.NVIDIA, RecordingProperty.TENSORRT)::contains,
                        Map.of()))
                .contains("--useCudaGraph")
                .doesNotContain("2 to 10 us");
    }
}

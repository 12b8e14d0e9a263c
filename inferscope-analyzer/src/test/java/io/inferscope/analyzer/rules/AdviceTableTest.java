package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.RealTraces;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No piece of advice for another machine, another language, or against what another piece says. */
class AdviceTableTest {
    /** Words, and the fact without which they must not be said. */
    private static final Map<Pattern, Fact> ONLY_WITH = Map.of(
            Pattern.compile("\\bncu\\b|nvidia-smi|CUDA_MODULE_LOADING|expandable_segments"),
            Fact.NVIDIA,
            Pattern.compile("rocprof|HIP_VISIBLE"),
            Fact.GPU,
            Pattern.compile("\\bGPU\\b|CUDA graph"),
            Fact.GPU,
            Pattern.compile("jax\\.jit"),
            Fact.XLA,
            Pattern.compile("torch\\.(set_num_threads|compile)|non_blocking|pin_memory"),
            Fact.TORCH,
            Pattern.compile("-XX:"),
            Fact.JVM,
            Pattern.compile("use_fast"),
            Fact.TRANSFORMERS);

    /** Words, and the fact beside which they must not be said. */
    private static final Map<Pattern, Fact> NEVER_WITH = Map.of(
            Pattern.compile("OMP_NUM_THREADS|use_fast|DataLoader|max_workers|gc\\.freeze|torch\\."),
            Fact.JVM,
            Pattern.compile("torch\\.set_num_threads|`out=`"),
            Fact.NATIVE,
            Pattern.compile("ncu|nvidia-smi|CUDA_MODULE_LOADING"),
            Fact.AMD,
            Pattern.compile("fused attention"),
            Fact.FUSED_ATTENTION,
            Pattern.compile("more workers|more threads\\."),
            Fact.TOO_MANY_THREADS,
            Pattern.compile("reduce-overhead"),
            Fact.GPU_BUSY);

    /** Pairs that no one report may hold. */
    private static final List<List<Pattern>> CONTRADICTIONS = List.of(
            List.of(Pattern.compile("CUDA_MODULE_LOADING=LAZY"), Pattern.compile("CUDA_MODULE_LOADING=EAGER")),
            List.of(Pattern.compile("more workers"), Pattern.compile("max_workers=\\d|OMP_NUM_THREADS=\\d")),
            List.of(Pattern.compile("make its kernels cheaper first"), Pattern.compile("reduce-overhead")));

    /** Topics that only programs with device work are told of. */
    private static final Set<AdviceTable.Topic> OF_DEVICES = EnumSet.of(
            AdviceTable.Topic.LAUNCH_LESS,
            AdviceTable.Topic.BETWEEN_REPLAYS,
            AdviceTable.Topic.SLOW_LAUNCHES,
            AdviceTable.Topic.LATE_LAUNCHES,
            AdviceTable.Topic.SHORT_KERNELS,
            AdviceTable.Topic.LARGER_BATCH,
            AdviceTable.Topic.ONE_KERNEL,
            AdviceTable.Topic.MAKE_CONTEXT,
            AdviceTable.Topic.GPU_COMPUTE,
            AdviceTable.Topic.COMMUNICATION,
            AdviceTable.Topic.ALLOCATION,
            AdviceTable.Topic.HIDE_COPIES,
            AdviceTable.Topic.COPY_BACK_LESS,
            AdviceTable.Topic.OTHER_ATTENTION,
            AdviceTable.Topic.FUSED_ATTENTION);

    /** Topics of shapes of operators, which only PyTorch's recordings hold. */
    private static final Set<AdviceTable.Topic> OF_SHAPES =
            EnumSet.of(AdviceTable.Topic.OTHER_ATTENTION, AdviceTable.Topic.FUSED_ATTENTION);

    /** Facts as they can come together: one vendor, one runtime, one engine. */
    private static Set<Fact> facts(Random random) {
        Set<Fact> facts = EnumSet.noneOf(Fact.class);
        for (Fact fact : Fact.values()) {
            if (random.nextBoolean()) {
                facts.add(fact);
            }
        }
        keepOne(facts, random, List.of(Fact.TORCH, Fact.ONNX, Fact.XLA, Fact.TENSORRT, Fact.JVM));
        if (facts.contains(Fact.JVM)) {
            facts.remove(Fact.NATIVE);
        }
        if (!facts.contains(Fact.TORCH)) {
            facts.removeAll(Set.of(Fact.VLLM, Fact.SGLANG));
        }
        if (!facts.contains(Fact.XLA) && !facts.contains(Fact.TENSORRT)) {
            facts.remove(Fact.BLOCKS);
        }
        if (facts.contains(Fact.BLOCKS)) {
            facts.remove(Fact.OWN_KERNELS);
        }
        if (facts.containsAll(Set.of(Fact.VLLM, Fact.SGLANG))) {
            facts.remove(Fact.VLLM);
        }
        if (facts.containsAll(Set.of(Fact.NVIDIA, Fact.AMD))) {
            facts.remove(Fact.NVIDIA);
        }
        if (!facts.contains(Fact.GPU)) {
            facts.removeAll(Set.of(Fact.NVIDIA, Fact.AMD, Fact.GPU_BUSY));
            if (random.nextBoolean()) {
                facts.removeAll(Set.of(Fact.TORCH, Fact.VLLM, Fact.SGLANG));
            }
        }
        return facts;
    }

    private static void keepOne(Set<Fact> facts, Random random, List<Fact> exclusive) {
        Fact kept = exclusive.get(random.nextInt(exclusive.size()));
        facts.removeAll(exclusive);
        facts.add(kept);
    }

    @Test
    void everyTopicFitsWhatTheRecordingShows() {
        Set<String> wrong = new TreeSet<>();
        Random random = new Random(23);
        for (int i = 0; i < Seeds.of(2_000, 20); i++) {
            Set<Fact> facts = facts(random);
            for (AdviceTable.Topic topic : AdviceTable.Topic.values()) {
                boolean impossible = (OF_DEVICES.contains(topic) && !facts.contains(Fact.GPU))
                        || (OF_SHAPES.contains(topic) && !facts.contains(Fact.TORCH));
                if (impossible) {
                    continue;
                }
                String text = AdviceTable.of(topic, facts, Map.of());
                if (text.isEmpty() || !text.endsWith(".")) {
                    wrong.add(topic + " says '" + text + "' with " + facts);
                }
                unfit(text, facts).forEach(why -> wrong.add(topic + ": " + why));
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static List<String> unfit(String text, Set<Fact> facts) {
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
            Set<Fact> facts = Fact.of(Analysis.of(SharedTraces.timeline(trace), Thresholds.defaults()));
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
        assertThat(facts("mi300-qwen1.5")).contains(Fact.AMD).doesNotContain(Fact.NVIDIA);
        assertThat(facts("mi250-minitoy")).contains(Fact.AMD).doesNotContain(Fact.NVIDIA);
        assertThat(facts("h100-timesformer")).contains(Fact.NVIDIA).doesNotContain(Fact.AMD);
        assertThat(facts("mi300-qwen1.5")).contains(Fact.FUSED_ATTENTION, Fact.GPU_BUSY);
        assertThat(facts("h100-timesformer")).doesNotContain(Fact.FUSED_ATTENTION);
    }

    private static Set<Fact> facts(String trace) throws Exception {
        return Fact.of(Analysis.of(SharedTraces.timeline(SharedTraces.kineto(trace)), Thresholds.defaults()));
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
        return AdviceTable.of(AdviceTable.Topic.LAUNCH_LESS, Analysis.of(fixture.build(), Thresholds.defaults()));
    }

    @Test
    void anObservedProgramWithoutPyTorchIsNotToldOfIt() {
        TimelineFixture plain = TimelineFixture.blank()
                .property("process.1.runtime", "CPython 3.11")
                .python("main", 0, 10, "app.py(1): run");
        TimelineFixture torch = TimelineFixture.blank()
                .property("process.1.runtime", "CPython 3.11")
                .python("main", 0, 10, "torch/nn/functional.py(1): linear");

        assertThat(Fact.of(Analysis.of(plain.build(), Thresholds.defaults()))).doesNotContain(Fact.TORCH);
        assertThat(Fact.of(Analysis.of(torch.build(), Thresholds.defaults()))).contains(Fact.TORCH);
        assertThat(AdviceTable.of(AdviceTable.Topic.RUN_QUEUE, Set.of(), Map.of()))
                .contains("OMP_NUM_THREADS")
                .doesNotContain("torch");
    }

    @Test
    void aProgramOfOneThreadHasNoPoolOfItsOwn() {
        TimelineFixture one = TimelineFixture.blank().python("main", 0, 10, "app.py(1): run");
        TimelineFixture two = TimelineFixture.blank()
                .python("main", 0, 10, "app.py(1): run")
                .python("pool", 0, 10, "app.py(9): work");

        assertThat(Fact.of(Analysis.of(one.build(), Thresholds.defaults()))).doesNotContain(Fact.OWN_THREADS);
        assertThat(Fact.of(Analysis.of(two.build(), Thresholds.defaults()))).contains(Fact.OWN_THREADS);
        assertThat(AdviceTable.of(AdviceTable.Topic.TOO_MANY_OWN_THREADS, Set.of(), Map.of()))
                .doesNotContain("max_workers");
        assertThat(AdviceTable.of(AdviceTable.Topic.TOO_MANY_OWN_THREADS, Set.of(Fact.OWN_THREADS), Map.of()))
                .doesNotContain("max_workers", "pools");
        assertThat(AdviceTable.of(
                        AdviceTable.Topic.TOO_MANY_OWN_THREADS, Set.of(Fact.OWN_THREADS, Fact.POOL), Map.of()))
                .contains("max_workers");
    }

    @Test
    void otherVendorsDevicesAreNotToldOfCudaGraphs() {
        TimelineFixture fixture = TimelineFixture.blank()
                .operator("main", 0, 30, "aten::mm")
                .kernel("7", 20, 25, "gemm_kernel")
                .launchedBy("main", 2, 18, "urEnqueueKernelLaunch");

        assertThat(AdviceTable.of(AdviceTable.Topic.LAUNCH_LESS, Analysis.of(fixture.build(), Thresholds.defaults())))
                .contains("fuse small kernels")
                .doesNotContain("CUDA");
    }

    @Test
    void anEnqueuedNetworkIsNoLaunchOfAKernel() {
        assertThat(AdviceTable.of(
                        AdviceTable.Topic.SLOW_LAUNCHES, Set.of(Fact.GPU, Fact.NVIDIA, Fact.TENSORRT), Map.of()))
                .contains("--useCudaGraph")
                .doesNotContain("2 to 10 us");
    }
}

package io.inferscope.analyzer.steps;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps of programs that name no range and launch nothing: by operators, by calls, by what a device does. */
class LoopsWithoutRangesTest {
    private static final String READ = "aten::item";

    private static Optional<Loop> loop(TimelineFixture fixture) {
        return loop(fixture.build());
    }

    private static Optional<Loop> loop(Timeline timeline) {
        return Analysis.of(timeline, Thresholds.defaults()).phases().loop();
    }

    /** Operators of 8 us, one each 10 us, on one thread. */
    private static TimelineFixture operators(TimelineFixture fixture, List<String> names) {
        for (int i = 0; i < names.size(); i++) {
            fixture.operator("main", 10 * i, 10 * i + 8, names.get(i));
        }
        return fixture;
    }

    private static List<String> repeated(int times, String... names) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            all.addAll(List.of(names));
        }
        return all;
    }

    @Test
    void operatorsThatRecurFromOneReadResultToTheNextAreSteps() {
        List<String> names = repeated(10, "aten::embedding", "aten::linear", "aten::linear", "aten::argmax", READ);
        Loop loop = loop(operators(TimelineFixture.blank(), names)).orElseThrow();

        assertThat(loop.source()).isEqualTo(Loop.Source.OPERATORS);
        assertThat(loop.steps()).hasSize(9).allMatch(step -> step.durationNs() == us(50));
        assertThat(loop.steps().get(0).startNs()).isEqualTo(us(48));
    }

    @Test
    void operatorsThatRecurWithoutAReadResultAreLayers() {
        assertThat(loop(operators(
                        TimelineFixture.blank(), repeated(12, "aten::linear", "aten::softmax", "aten::linear"))))
                .isEmpty();
    }

    @Test
    void resultsReadInsideOnePassMakeNoSteps() {
        TimelineFixture fixture = TimelineFixture.blank().python("main", -1, 700, "nn.Module: Mixture_0");
        List<String> names = repeated(12, "aten::linear", "aten::softmax", "aten::linear", READ);

        assertThat(loop(operators(fixture, names))).isEmpty();
    }

    @Test
    void operatorsInNoOrderMakeNoSteps() {
        for (int seed = 0; seed < Seeds.of(100); seed++) {
            Random random = new Random(seed);
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                names.add(random.nextInt(4) == 0 ? READ : "aten::op" + random.nextInt(5));
            }
            assertThat(loop(operators(TimelineFixture.blank(), names)))
                    .as("seed " + seed)
                    .isEmpty();
        }
    }

    @Test
    void callsOfTheOutermostModuleAreStepsAndItsLayersAreNot() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int call = 0; call < 6; call++) {
            double at = 100 * call;
            fixture.python("main", at + 20, at + 90, "nn.Module: BertModel_0");
            for (int layer = 0; layer < 6; layer++) {
                fixture.python("main", at + 20 + 10 * layer, at + 29 + 10 * layer, "nn.Module: BertLayer_" + layer)
                        .operator("main", at + 21 + 10 * layer, at + 28 + 10 * layer, "aten::linear");
            }
        }
        Loop loop = loop(fixture).orElseThrow();

        assertThat(loop.source()).isEqualTo(Loop.Source.MODULES);
        assertThat(loop.steps())
                .hasSize(6)
                .allMatch(step -> step.name().equals("BertModel") && step.kind().isEmpty());
        assertThat(loop.steps().get(1).startNs()).isEqualTo(us(90));
    }

    @Test
    void theFirstModuleCallOfAGenerationIsThePrefill() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int generation = 0; generation < 2; generation++) {
            double at = 1_000 * generation;
            fixture.python("main", at, at + 900, "transformers/generation/utils.py(2400): generate");
            for (int call = 0; call < 4; call++) {
                fixture.python("main", at + 200 * call + 20, at + 200 * call + 200, "nn.Module: LlamaForCausalLM_0");
            }
        }

        assertThat(loop(fixture).orElseThrow().steps())
                .extracting(Step::kind)
                .containsExactly("prefill", "decode", "decode", "decode", "prefill", "decode", "decode", "decode");
    }

    @Test
    void layersOfOneModuleCallAreNoSteps() {
        TimelineFixture fixture = TimelineFixture.blank().python("main", 0, 1_000, "nn.Module: Model_0");
        for (int layer = 0; layer < 12; layer++) {
            fixture.python("main", 10 + 80 * layer, 80 + 80 * layer, "nn.Module: Layer_0")
                    .operator("main", 12 + 80 * layer, 78 + 80 * layer, "aten::linear");
        }

        assertThat(loop(fixture)).isEmpty();
    }

    @Test
    void callsOfTheFunctionThatComputesAreStepsAndThoseOfAHelperAreNot() {
        TimelineFixture fixture = TimelineFixture.blank().python("main", 0, 1_000, "serve.py(1): <module>");
        for (int call = 0; call < 8; call++) {
            double at = 100 * call;
            fixture.python("main", at + 5, at + 60, "serve.py(10): clean")
                    .python("main", at + 60, at + 100, "serve.py(20): answer")
                    .operator("main", at + 62, at + 98, "aten::mm");
        }
        Loop loop = loop(fixture).orElseThrow();

        assertThat(loop.source()).isEqualTo(Loop.Source.FUNCTIONS);
        assertThat(loop.steps()).hasSize(8).allMatch(step -> step.name().equals("serve.py:20 answer"));
    }

    @Test
    void callsInsideAFunctionNamedAsAPassAreLayers() {
        TimelineFixture fixture = TimelineFixture.blank().python("main", 0, 1_000, "model.py(1): forward");
        for (int call = 0; call < 8; call++) {
            fixture.python("main", 100 * call, 100 * call + 90, "model.py(10): layer")
                    .operator("main", 100 * call + 2, 100 * call + 88, "aten::mm");
        }

        assertThat(loop(fixture)).isEmpty();
    }

    private static TimelineFixture deviceOnly(int rounds, boolean copiesBack) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < rounds; i++) {
            fixture.kernel("7", 100 * i, 100 * i + 40, "embed")
                    .kernel("7", 100 * i + 40, 100 * i + 70, "gemm")
                    .kernel("8", 100 * i + 70, 100 * i + 90, "softmax");
            if (copiesBack) {
                fixture.d2h("7", 100 * i + 90, 100 * i + 95, "Memcpy DtoH (Device -> Pinned)");
            }
        }
        return fixture;
    }

    @Test
    void aDeviceWithoutRecordedLaunchesHasStepsFromOneCopyToTheHostToTheNext() {
        Loop loop = loop(deviceOnly(10, true)).orElseThrow();

        assertThat(loop.source()).isEqualTo(Loop.Source.OPERATIONS);
        assertThat(loop.steps()).hasSize(9).allMatch(step -> step.durationNs() == us(100));
        assertThat(loop(deviceOnly(10, false))).isEmpty();
    }

    @Tag("traces")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "h100-bert-small",
                "h100-nsfw-vit",
                "h100-timesformer",
                "mi300-qwen1.5",
                "mi210-gpu-only",
                "cpu-only-no-gpu"
            })
    void onePassOfARealModelHasNoStepsWithOrWithoutItsDevice(String trace) throws Exception {
        Timeline timeline = SharedTraces.timeline(SharedTraces.kineto(trace));

        assertThat(loop(timeline)).isEmpty();
        assertThat(loop(hostOf(timeline, true))).isEmpty();
        assertThat(loop(hostOf(timeline, false))).isEmpty();
    }

    /** Returns the host's part of a timeline, as a program without a device would have it; with or without Python calls. */
    private static Timeline hostOf(Timeline timeline, boolean pythonCalls) {
        TimelineBuilder builder = new TimelineBuilder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        for (Track track : timeline.tracks()) {
            if (track.kind() != TrackKind.THREAD) {
                continue;
            }
            int thread = builder.track(TrackKind.THREAD, process, track.key());
            for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
                RowKind kind = timeline.kind(row);
                boolean kept = kind == RowKind.OPERATOR
                        || kind == RowKind.ANNOTATION
                        || (pythonCalls && kind == RowKind.PYTHON_FUNCTION);
                if (kept) {
                    long startNs = timeline.startNs(row);
                    builder.row(kind, thread, startNs, timeline.endNs(row), builder.name(timeline.name(row)));
                }
            }
        }
        return builder.build("host");
    }
}

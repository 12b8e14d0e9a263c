package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreprocessingTest {
    private final Rule rule = HostClassesRule.PREPROCESSING;

    @Test
    void addsWhatTheGpuWaitsForInTheWholeWindow() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [preprocess    ]LL..[tokenize]LL..[json  ]
                stream 7     ................KKKKKK..........KKKK......
                links in order
                """);

        assertThat(finding.claim())
                .isEqualTo("Preparing inputs and results takes 30.0 us, 71.4% of the window;"
                        + " 53.3% of that is preprocessing.");
        assertThat(finding.costNs()).isEqualTo(us(30));
        assertThat(finding.share()).isEqualTo(30.0 / 42, within(1e-9));
        assertThat(finding.of()).isEqualTo("window of device 0");
        assertThat(finding.advice()).contains("num_workers=N", "torchvision.transforms.v2");
        assertThat(finding.evidence()).contains(new Evidence.Place("preprocessing", "preprocess", us(16), 1));
    }

    /** {@code torch.tensor} reads lists number by number. */
    @Test
    void listsThatBecomeTensorsHaveTheirOwnAdvice() {
        TimelineFixture timeline = TimelineFixture.blank()
                .sample("main", 0, 60, "a.py(7): step", "torch/nn/modules/linear.py(134): forward")
                .sample("main", 60, 100, "a.py(3): batch", "called torch.tensor [libtorch_python.so]");
        Finding finding = found(rule, timeline);

        assertThat(finding.claim()).isEqualTo("Preprocessing takes 40.0 us, 40.0% of the window.");
        assertThat(finding.evidence().get(0).toString()).contains("a.py:3 batch");
        assertThat(finding.advice()).startsWith("`torch.tensor` reads Python's lists number by number");
    }

    @Test
    void judgesTheThreadOfTheScopesWithoutAGpu() {
        Finding finding = found(rule, """
                us           0         10        20        30        40
                thread main  [request                               ]
                thread main  [tokenize      ][generate      ][json ]
                """);

        assertThat(finding.claim())
                .isEqualTo("Preparing inputs and results takes 23.0 us, 57.5% of the window;"
                        + " 69.6% of that is tokenization.");
        assertThat(finding.of()).isEqualTo("window of thread main");
        assertThat(finding.evidence())
                .containsExactly(
                        new Evidence.Place("tokenization, wall time", "tokenize", us(16), 1),
                        new Evidence.Place("serialisation, wall time", "json", us(7), 1));
    }

    @Test
    void pythonFunctionsAreEvidenceWhereThereAreNoScopes() {
        Finding finding = found(rule, """
                us           0         10        20        30        40        50
                thread main  "tiktoken/core.py(31): encode  "<aten::addmm   >
                """);

        assertThat(finding.costNs()).isEqualTo(us(32));
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("tokenization", "tiktoken/core.py:31 encode", us(32), 1));
    }

    /** A scope that is shorter than the time between two samples is sampled now and then. */
    @ParameterizedTest
    @ValueSource(strings = {"serve.py:9", "serve.py:9 main"})
    void theLinesThatSamplesSawSpeakForTheScopesWithoutOne(String opened) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 400; step++) {
            fixture.scope("main", 10 * step, 10 * step + 10, "tokenization").where(opened);
            if (step % 10 == 0) {
                String line = step % 40 == 0 ? "serve.py(4): split" : "serve.py(7): merge";
                fixture.sample("main", 10 * step, 10 * step + 10, "serve.py(9): main", line);
            }
        }

        assertThat(found(rule, fixture).evidence())
                .containsExactly(
                        new Evidence.Place("tokenization, by samples", "serve.py:7 merge", us(3_000), 1),
                        new Evidence.Place("tokenization, by samples", "serve.py:4 split", us(1_000), 1));
    }

    /** One sample counts once, however many states its time is divided into. */
    @Test
    void aSampleDividedByStatesIsOneSample() {
        TimelineFixture fixture =
                TimelineFixture.blank().scope("main", 0, 1000, "tokenization").where("serve.py:9");
        fixture.sample("main", 0, 200, "serve.py(9): main", "serve.py(7): merge");
        for (int i = 0; i < 200; i++) {
            fixture.state("main", 5 * i, 5 * i + 5, 5, 0, WaitReason.UNKNOWN);
        }

        assertThat(found(rule, fixture).evidence())
                .extracting(evidence -> ((Evidence.Place) evidence).label())
                .containsOnly("tokenization");
    }

    @Test
    void aFewSamplesSpeakForTheirOwnScopesOnly() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 100; step++) {
            fixture.scope("main", 10 * step, 10 * step + 10, "tokenization").where("serve.py:9");
        }
        fixture.sample("main", 0, 10, "serve.py(9): main", "serve.py(7): merge");

        assertThat(found(rule, fixture).evidence())
                .containsExactly(
                        new Evidence.Place("tokenization", "serve.py:9", us(990), 1),
                        new Evidence.Place("tokenization", "serve.py:7 merge", us(10), 1));
    }

    @Test
    void preparationUnderARunningKernelIsClean() {
        assertThat(clean(rule, """
                        us           0         10        20        30        40
                        thread main  LL[tokenize                        ]LL
                        stream 7     ..KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK
                        links 0-0
                        """)).isEqualTo("preparing inputs and results takes 0.0% of the window");
    }
}

package io.inferscope.analyzer.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Diff;
import io.inferscope.analyzer.diff.Side;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitsTest {
    /** Span 34 us: 12 us of kernels, 22 us idle, of which 20 us pass in tokenization; the window is 50 us long. */
    private static final String CPU_BOUND = """
            us           0         10        20        30        40        50
            thread main  ........LL[tokenize              ]LL..............
            stream 7     ..........KKKK......................KKKKKKKK......
            thread main  [json ]...............................[json      ]
            links in order
            """;

    private static final Report REPORT = report(CPU_BOUND);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idle>20%",
                " idle > 20 % ",
                "idle>=10us",
                "busy<50%",
                "cpu.tokenization>=20us",
                "span.idle>50%",
                "window.idle>50%",
                "tail.cpu.serialization>0%",
                "wall>49us",
                "span<1ms",
                "gap>=20us",
                "verdict=cpu",
                "verdict!=gpu",
                "severity>=warning",
                "severity=critical",
                "severity!=info",
                "finding=gpu-idle",
                "cpu-preprocessing>0.1%",
                "failed-checks<1",
                "idle.share>0.2",
                "device.gaps>=1",
                "kernels.mean-ns>1us",
                "verdict.cpu=1",
            })
    void aComparisonThatHoldsIsCrossed(String limit) {
        assertThat(Limits.parse(limit).crossedBy(REPORT))
                .singleElement()
                .asString()
                .startsWith("limit crossed: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idle>90%",
                "idle>=1ms",
                "busy>50%",
                "wall>1s",
                "verdict=gpu",
                "verdict!=cpu",
                "verdict=withheld",
                "severity<=info",
                "finding=exposed-h2d",
                "copy>0%",
                "wait.gil>0ns",
                "failed-checks>0",
                "ttft?>1ms",
            })
    void aComparisonThatDoesNotHoldIsKept(String limit) {
        assertThat(Limits.parse(limit).crossedBy(REPORT)).isEmpty();
    }

    @Test
    void theReasonSaysTheFigureAndOfWhat() {
        assertThat(Limits.parse("idle>20%,verdict=cpu").crossedBy(REPORT))
                .containsExactly(
                        "limit crossed: idle>20%: idle is 64.7% of the span of device 0",
                        "limit crossed: verdict=cpu: it is cpu");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "idel>20%; 1; no metric \"idel\"",
                "idle>20%,foo>3; 10; no metric \"foo\"",
                "idle 20%; 6; expected one of",
                "idle>20; 6; idle takes a percentage or a time",
                "idle>x; 6; expected a number",
                "wall>20%; 6; wall takes a time",
                "failed-checks>1ms; 15; failed-checks takes a number",
                "verdict=slow; 9; expected one of withheld, gpu",
                "verdict>cpu; 9; has no order",
                "severity>=bad; 11; expected one of critical",
                "head.wall>1s; 1; leave out \"head.\"",
                "delta.verdict=cpu; 1; leave out \"delta.\"",
                "delta.idle>5ms; 12; idle takes percentage points",
                "regression>5; 12; regression takes a percentage",
                "idle>20% cpu>3%; 10; expected \",\"",
                "idle>20%,; 10; expected a metric",
                "''; 1; expected a metric",
            })
    void whatIsNotUnderstoodIsNamedWithItsPlace(String limits, int character, String problem) {
        assertThatThrownBy(() -> Limits.parse(limits))
                .isInstanceOf(LimitException.class)
                .hasMessageContaining("at character " + character + ": ")
                .hasMessageContaining(problem);
    }

    @Test
    void whatIsNotKnownHasNotPassedUnlessThatIsAllowed() {
        Report cpuOnly = report("""
                us           0         10
                thread main  [json    ]
                """);

        assertThat(Limits.parse("idle>20%").crossedBy(cpuOnly))
                .containsExactly(
                        "limit cannot be checked: idle>20%: no device work is recorded (\"idle?\" lets that pass)");
        assertThat(Limits.parse("idle?>20%").crossedBy(cpuOnly)).isEmpty();
        assertThat(Limits.parse("step>1ms").crossedBy(cpuOnly).get(0)).contains("not recorded");
        assertThat(Limits.parse("head.idle>20%").crossedBy(cpuOnly).get(0)).contains("there is no head");
        assertThat(Limits.parse("regression>5%").crossedBy(cpuOnly).get(0)).contains("use inferscope diff");
        assertThat(Limits.parse("finding=no-such").crossedBy(cpuOnly).get(0)).contains("there is no rule \"no-such\"");
    }

    @Test
    void aWithheldVerdictLetsNothingPass() {
        Report withheld = new Analyzer()
                .analyze(
                        TimelineFixture.drawing(CPU_BOUND)
                                .host(RowKind.RUNTIME_CALL, "main", 60, 5_000_000, "cudaStreamSynchronize")
                                .build(),
                        "drawing");

        for (String limit :
                List.of("idle>99%", "gpu<1%", "verdict=gpu", "severity>=critical", "finding=gpu-idle", "gap>1s")) {
            assertThat(Limits.parse(limit).crossedBy(withheld))
                    .singleElement()
                    .asString()
                    .startsWith("limit cannot be checked: " + limit + ": the verdict is withheld: ");
        }
        assertThat(Limits.parse("wall>100s").crossedBy(withheld)).isEmpty();
        assertThat(Limits.parse("verdict=withheld").crossedBy(withheld)).hasSize(1);
        assertThat(Limits.parse("failed-checks>0").crossedBy(withheld)).hasSize(1);
    }

    @Test
    void aComparisonIsMeasuredByItsGrowth() {
        String slower = CPU_BOUND.replace("..KKKKKKKK......", "..........KKKKKKKK");

        assertThat(crossed("regression>5%", CPU_BOUND, slower)).hasSize(1);
        assertThat(crossed("regression>50%", CPU_BOUND, slower)).isEmpty();
        assertThat(crossed("regression>5%", slower, CPU_BOUND)).isEmpty();
        assertThat(crossed("delta.idle>1%", CPU_BOUND, slower).get(0)).contains("idle changed by +", " points");
        assertThat(crossed("delta.idle>1%", slower, CPU_BOUND)).isEmpty();
        assertThat(crossed("delta.span>5%", CPU_BOUND, slower).get(0)).contains("span changed by +");
        assertThat(crossed("delta.kernels.mean-ns>=0%", CPU_BOUND, slower)).hasSize(1);
    }

    @Test
    void recordingsThatCannotBeComparedHaveNotPassed() {
        assertThat(crossed("regression>5%", CPU_BOUND, """
                        us           0         10
                        thread main  LL[train  ]
                        name K = conv
                        stream 7     ..KKKK....
                        links in order
                        """).get(0))
                .startsWith("limit cannot be checked: regression>5%: Not comparable");
    }

    private static List<String> crossed(String limits, String before, String after) {
        Side a = Side.of(new Analyzer(), TimelineFixture.draw(before), "before");
        Side b = Side.of(new Analyzer(), TimelineFixture.draw(after), "after");
        Comparison comparison = Diff.of(a, b);
        return Limits.parse(limits).crossedBy(comparison, a.report(), b.report());
    }

    private static Report report(String drawing) {
        return new Analyzer().analyze(TimelineFixture.draw(drawing), "drawing");
    }
}

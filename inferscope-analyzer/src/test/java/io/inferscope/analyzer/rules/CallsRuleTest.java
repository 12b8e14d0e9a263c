package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CallsRuleTest {
    private static final String IDLE_FOR_NOTHING = "the GPU is idle for 0.0% of the span meanwhile";

    private static Timeline slowCalls(double callUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            double atUs = 200.0 * i;
            fixture.kernel("7", atUs + callUs + 5, atUs + 150, "gemm").launchedBy("main", atUs, atUs + callUs);
        }
        return fixture.build();
    }

    @Test
    void slowCallsUnderAnIdleGpuAreReported() {
        Finding finding = found(CallsRule.SLOW_LAUNCHES, slowCalls(60));

        assertThat(finding.costNs()).isEqualTo(us(9 * 60));
        assertThat(finding.claim()).endsWith("of its span, inside launch calls of more than 50.0 us (10).");
        assertThat(clean(CallsRule.SLOW_LAUNCHES, slowCalls(40))).isEqualTo("no launch calls of more than 50.0 us");
    }

    @Test
    void slowCallsUnderABusyGpuCostNothing() {
        assertThat(clean(CallsRule.SLOW_LAUNCHES, RuleTimelines.queued(100, 300)))
                .isEqualTo("1 launch calls of more than 50.0 us; " + IDLE_FOR_NOTHING);
    }

    private static Timeline startingLate(double delayUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            double atUs = 1000.0 * i;
            fixture.kernel("7", atUs + 10, atUs + 500, "gemm").launchedBy("main", atUs, atUs + 5);
            fixture.kernel("7", atUs + 500 + delayUs, atUs + 900, "gemm").launchedBy("main", atUs + 500, atUs + 510);
        }
        return fixture.build();
    }

    @Test
    void aLateStartOnAnIdleGpuIsReported() {
        Finding finding = found(CallsRule.LATE_LAUNCHES, startingLate(150));

        assertThat(finding.costNs()).isEqualTo(us(1500));
        assertThat(finding.claim())
                .contains("before kernels that start more than 100 us after their launch call")
                .endsWith("(10).");
        assertThat(finding.evidence()).anyMatch(e -> e.label().equals("longest: cudaLaunchKernel"));
    }

    @Test
    void aStartWithinTheLimitOrBehindAQueueIsOnTime() {
        assertThat(clean(CallsRule.LATE_LAUNCHES, startingLate(90)))
                .startsWith("no kernels that start more than 100 us");
        assertThat(clean(CallsRule.LATE_LAUNCHES, RuleTimelines.queued(5, 10))).startsWith("no kernels");
    }

    @Test
    void kernelsShorterThanTheirCallsStarveTheGpu() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 4; i++) {
            fixture.kernel("7", 6 * i + 6, 6 * i + 8, "add").launchedBy("main", 6 * i, 6 * i + 6);
        }

        Finding finding = found(CallsRule.SHORT_KERNELS, fixture);

        assertThat(finding.claim()).startsWith("4 kernels that are launched one by one are shorter than the call");
        assertThat(finding.costNs()).isEqualTo(us(12));
    }

    @Test
    void longerKernelsHideTheirCalls() {
        assertThat(clean(CallsRule.SHORT_KERNELS, """
                        us           0         10        20
                        thread main  LL..LL..LL
                        stream 7     ..KKKKKKKKkkkkkkkkKKKKKKKK
                        links in order
                        """)).isEqualTo("no kernels shorter than their launch call");
    }

    /** A copy or a set, with the call that makes it. */
    private static String drawn(String call, String operation) {
        String letter = operation.startsWith("Memset") ? "S" : "H";
        return """
            us           0         10        20
            name X = OPERATION
            thread main  LL{CALL             }LL
            stream 7     ..KK................XXKK
            links in order
            """.replace("CALL             ", (call + " ".repeat(17)).substring(0, 17))
                .replace("OPERATION", operation)
                .replace("X", letter);
    }

    /** Calls that wait for their copy or set, and like ones that do not. */
    static Stream<Arguments> blocking() {
        return Stream.of(
                Arguments.of(
                        CallsRule.SYNCHRONOUS_COPIES,
                        "synchronous copy calls",
                        drawn("cudaMemcpy", "Memcpy HtoD (Pinned -> Device)"),
                        List.of(drawn("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)"))),
                Arguments.of(
                        CallsRule.ASYNC_PAGEABLE_COPIES,
                        "asynchronous copies with pageable memory",
                        drawn("cudaMemcpyAsync", "Memcpy HtoD (Pageable -> Device)"),
                        List.of(
                                drawn("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)"),
                                drawn("cudaMemcpy", "Memcpy HtoD (Pageable -> Device)"))),
                Arguments.of(
                        CallsRule.SYNCHRONOUS_MEMSETS,
                        "synchronous sets of pinned or managed memory",
                        drawn("cudaMemset", "Memset (Managed)"),
                        List.of(drawn("cudaMemset", "Memset (Device)"), drawn("cudaMemsetAsync", "Memset (Managed)"))));
    }

    @ParameterizedTest
    @MethodSource("blocking")
    void aCallThatWaitsHoldsUpTheHost(Rule rule, String what, String waiting, List<String> others) {
        Finding finding = found(rule, waiting);

        assertThat(finding.costNs()).isEqualTo(us(16));
        assertThat(finding.claim()).contains("1 " + what + " the GPU is idle for 16.0 us");
        assertThat(finding.evidence()).anyMatch(e -> e.label().startsWith("longest: cudaMem"));
        assertThat(others).allSatisfy(other -> assertThat(clean(rule, other)).isEqualTo("no " + what));
    }

    @Test
    void pageableMemoryIsToBePinned() {
        assertThat(found(CallsRule.ASYNC_PAGEABLE_COPIES, drawn("cudaMemcpyAsync", "Memcpy HtoD (Pageable -> Device)"))
                        .advice())
                .contains("pin_memory");
    }

    @Test
    void aCopyUnderAKernelCostsNothing() {
        assertThat(clean(CallsRule.SYNCHRONOUS_COPIES, """
                        us           0         10        20
                        thread main  LL{cudaMemcpy       }
                        stream 7     ..KKKKKKKKKKKKKKKKKKHH
                        links in order
                        """)).contains(IDLE_FOR_NOTHING);
    }

    @Test
    void allocatingUnderAnIdleGpuCosts() {
        Finding finding = found(CallsRule.ALLOCATION, """
                us           0         10        20        30
                thread main  LL..{cudaMalloc}{cudaFree}LL
                stream 7     ..KK......................KKKK
                links 0-0 3-1
                """);

        assertThat(finding.costNs()).isEqualTo(us(22));
        assertThat(finding.claim()).contains("2 calls that allocate or free memory");
        assertThat(finding.advice()).contains("expandable_segments");
    }

    @Test
    void allocatingUnderAKernelCostsNothing() {
        assertThat(clean(CallsRule.ALLOCATION, """
                        us           0         10        20        30
                        thread main  LL..{cudaMalloc}
                        stream 7     ..KKKKKKKKKKKKKKKKKK
                        links 0-0
                        """)).contains(IDLE_FOR_NOTHING);
    }

    @Test
    void reusedMemoryIsClean() {
        assertThat(clean(CallsRule.ALLOCATION, """
                        us           0         10        20
                        thread main  LL..LL
                        stream 7     ..KK..KK
                        links in order
                        """)).isEqualTo("no calls that allocate or free memory");
    }

    /** Each of 30 kernels has a buffer of its own, as without PyTorch's caching allocator. */
    @Test
    void anAllocationForEachKernelMeansThatNothingIsCached() {
        assertThat(found(CallsRule.ALLOCATION, allocating(1)).advice())
                .startsWith("About each tensor is allocated and freed by the driver");
        assertThat(found(CallsRule.ALLOCATION, allocating(1, 3)).advice())
                .as("a cache that is emptied")
                .startsWith("Allocate before the steady state and keep it");
        assertThat(found(CallsRule.ALLOCATION, allocating(6)).advice())
                .startsWith("Allocate before the steady state and keep it");
    }

    private static Timeline allocating(int every) {
        return allocating(every, 1);
    }

    private static Timeline allocating(int every, int frees) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 30; i++) {
            double us = 100 * i;
            if (i % every == 0) {
                fixture.call("main", us, us + 20, "cudaMalloc");
                for (int free = 0; free < frees; free++) {
                    fixture.call("main", us + 60 + 10 * free, us + 70 + 10 * free, "cudaFree");
                }
            }
            fixture.operator("main", us + 25, us + 40, "aten::mm");
            fixture.kernel("7", us + 34, us + 50, "gemm").launchedBy("main", us + 30, us + 32);
        }
        return fixture.build();
    }

    /** Graphs that are made one after the other, under an idle GPU. */
    private static Timeline making(int graphs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < graphs; i++) {
            double atUs = 100.0 * i;
            fixture.call("main", atUs + 20, atUs + 60, "cudaGraphInstantiate");
            fixture.kernel("7", atUs + 70, atUs + 90, "gemm").launchedBy("main", atUs + 62, atUs + 65);
        }
        return fixture.build();
    }

    @Test
    void manyGraphsAreTooManyShapes() {
        Finding finding = found(CallsRule.GRAPH_CAPTURES, making(10));

        assertThat(finding.costNs()).isEqualTo(us(9 * 40));
        assertThat(finding.claim()).contains("9 calls that make CUDA graphs of many shapes");
        assertThat(finding.advice()).contains("pad batches and lengths").doesNotContain("--");
    }

    @Test
    void aFewGraphsAreClean() {
        assertThat(clean(CallsRule.GRAPH_CAPTURES, making(8)))
                .isEqualTo("no calls that make CUDA graphs of many shapes");
    }

    @Test
    void graphsMadeUnderAKernelCostNothing() {
        TimelineFixture fixture =
                TimelineFixture.blank().kernel("7", 10, 2000, "gemm").launchedBy("main", 0, 5);
        for (int i = 0; i < 12; i++) {
            fixture.call("main", 100.0 * i + 20, 100.0 * i + 60, "cudaGraphInstantiate");
        }

        assertThat(clean(CallsRule.GRAPH_CAPTURES, fixture)).contains(IDLE_FOR_NOTHING);
    }
}

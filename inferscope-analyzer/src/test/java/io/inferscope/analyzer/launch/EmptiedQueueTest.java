package io.inferscope.analyzer.launch;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Steps of 1 ms: a wait for 500 us of work, then 10 small kernels each after 30 us of Python and a wait, then the work. */
class EmptiedQueueTest {
    private static final List<LedgerClass> PYTHON = List.of(LedgerClass.CPU_PYTHON);

    @Test
    void idleTimeOfTheStepIsDueToTheWaitThatEmptiedTheQueue() {
        Analysis analysis = steps(true, 500);
        EmptiedQueue queue = EmptiedQueue.of(analysis);

        assertThat(queue.needlessNs(PYTHON))
                .as("each step but the first, whose queue was empty; before the last wait of the step")
                .isGreaterThan(9 * us(8 * 30));
        assertThat(queue.drains().stream()
                        .mapToLong(EmptiedQueue.Drain::ns)
                        .max()
                        .orElse(0))
                .as("one wait of a step has most of it")
                .isGreaterThan(us(250));
    }

    @Test
    void noMoreIsDueThanTheHostWaited() {
        assertThat(EmptiedQueue.of(steps(true, 60)).needlessNs())
                .as("it waited some 20 us for each of 10 steps")
                .isLessThan(us(600));
    }

    @Test
    void pythonAfterTheLastWaitOfAStepIsItsOwnCause() {
        assertThat(EmptiedQueue.of(steps(false, 500)).needlessNs(PYTHON)).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"Device -> Pageable, 100, 1", "-, 100, 1", "Device -> Pinned, 100, 0", "Device -> Pageable, 8, 0"})
    void aCopyThatEndsInsideItsCallIsAWaitIfItHadToWaitForOtherWork(String kinds, double busyUntilUs, int drains) {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.kernel("7", 2, busyUntilUs, "large").launchedBy("main", 0, 1);
        fixture.d2h("7", 100, 108, "Memcpy DtoH");
        if (kinds != null) {
            fixture.text(Attribute.MEMORY_KINDS, kinds);
        }
        fixture.launchedBy("main", 10, 110, "cudaMemcpyAsync");
        fixture.kernel("7", 144, 150, "small").launchedBy("main", 140, 142);

        assertThat(EmptiedQueue.of(Analysis.of(fixture.build(), Thresholds.defaults()))
                        .drains())
                .hasSize(drains);
    }

    private static Analysis steps(boolean manyWaits, double workUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        double gpuUs = 0;
        double hostUs = 0;
        for (int step = 0; step < 11; step++) {
            double fromUs = hostUs;
            double doneUs = Math.max(hostUs + 2, gpuUs + 1);
            fixture.call("main", hostUs, doneUs, "cudaStreamSynchronize");
            hostUs = doneUs;
            for (int i = 0; i < 10; i++) {
                fixture.python("main", hostUs, hostUs + 30, "app.py(7): prepare");
                hostUs += 30;
                fixture.kernel("7", hostUs + 4, hostUs + 6, "small").launchedBy("main", hostUs, hostUs + 2);
                hostUs += 2;
                if (manyWaits) {
                    fixture.call("main", hostUs, hostUs + 5, "cudaStreamSynchronize");
                    hostUs += 5;
                }
            }
            fixture.kernel("7", hostUs + 6, hostUs + 6 + workUs, "large").launchedBy("main", hostUs, hostUs + 2);
            gpuUs = hostUs + 6 + workUs;
            hostUs += 40;
            fixture.scope("main", fromUs, hostUs, "ProfilerStep#" + step);
        }
        return Analysis.of(fixture.build(), Thresholds.defaults());
    }
}

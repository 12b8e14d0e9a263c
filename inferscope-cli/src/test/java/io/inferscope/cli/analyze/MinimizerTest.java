package io.inferscope.cli.analyze;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class MinimizerTest {
    /** Operators that are slower to dispatch than to run, each with its launch and its kernel. */
    private static Timeline timeline(int operators) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < operators; i++) {
            double at = 100.0 * i;
            fixture.operator("main", at, at + 80, "aten::add")
                    .kernel("7", at + 82, at + 90, "add_kernel")
                    .launchedBy("main", at + 70, at + 78);
        }
        return fixture.build();
    }

    @Test
    void whatTheRowsAreDividedIntoTakesMemoryInProportionToThem() {
        Finding finding =
                Minimizer.find(new Analyzer(), timeline(30), "launch-bound").orElseThrow();
        long small = allocatedBytes(timeline(3_000), finding);
        long large = allocatedBytes(timeline(30_000), finding);

        assertThat((double) large / small)
                .as(small + ", then " + large + " bytes")
                .isLessThan(13);
    }

    private static long allocatedBytes(Timeline timeline, Finding finding) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Minimizer minimizer = new Minimizer(new Analyzer(), timeline, finding, 0);
        long before = threads.getCurrentThreadAllocatedBytes();
        Timeline same = minimizer.smallest();
        long after = threads.getCurrentThreadAllocatedBytes();
        assertThat(same.rowCount()).isEqualTo(timeline.rowCount());
        return after - before;
    }
}

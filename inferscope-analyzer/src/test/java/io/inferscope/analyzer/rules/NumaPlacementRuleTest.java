package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class NumaPlacementRuleTest {
    private final Rule rule = new NumaPlacementRule();

    private static final String TWO_NODES =
            "node 0: 64 CPUs, 512 GiB; node 1: 64 CPUs, 512 GiB; GPU 0000:41:00.0 at node 0; GPU 0000:c1:00.0 at node 1";

    /** Two GPUs at two nodes, fed by one process at node 0; copies to the second one take {@code farUs}. */
    private static TimelineFixture feeding(double farUs) {
        return TimelineFixture.blank()
                .property("run.host.numa", TWO_NODES)
                .property("process.1.host.numa.node", "0")
                .property("run.host.gpu.0.node", "0")
                .property("run.host.gpu.1.node", "1")
                .h2d("7", 100, 1100, "Memcpy HtoD (Pinned -> Device)")
                .bytes(25_000_000)
                .launchedBy("main", 0, 10, "cudaMemcpyAsync")
                .device("1")
                .h2d("7", 100, 100 + farUs, "Memcpy HtoD (Pinned -> Device)")
                .bytes(25_000_000)
                .launchedBy("main", 10, 20, "cudaMemcpyAsync");
    }

    @Test
    void slowerCopiesToAFarGpuAreReported() {
        Finding finding = found(rule, feeding(2000));

        assertThat(finding.claim())
                .isEqualTo("Process 1 runs at node 0, its GPU 1 is at node 1; copies to it reach 12.5 GB/s,"
                        + " copies of processes at their GPU's node 25.0 GB/s.");
        assertThat(finding.advice()).contains("numactl --cpunodebind=1 --membind=1", "--numa-bind");
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aFarGpuThatIsAsFastCostsNothing() {
        assertThat(clean(rule, feeding(1050)))
                .isEqualTo("1 processes run far from their GPU; their copies are as fast as those of the others");
    }

    @Test
    void withoutAComparisonNothingIsSaid() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .property("run.host.numa", TWO_NODES)
                                .property("process.1.host.numa.node", "1")
                                .property("run.host.gpu.0.node", "0")
                                .kernel("7", 10, 20, "gemm")
                                .launchedBy("main", 0, 5)))
                .isEqualTo("1 processes run far from their GPU; nothing measured says that it costs anything");
    }

    @Test
    void aProcessAtItsGpuIsClean() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .property("run.host.numa", TWO_NODES)
                                .property("process.1.host.numa.node", "0")
                                .property("run.host.gpu.0.node", "0")
                                .kernel("7", 10, 20, "gemm")
                                .launchedBy("main", 0, 5)))
                .isEqualTo("every process runs at the node of its GPU");
    }

    @Test
    void aMachineOfOneNodeHasNoPlaces() {
        assertThat(notApplicable(rule, """
                us           0         10        20
                thread main  LL........LL
                stream 7     ..KK........KK
                links in order
                """)).startsWith("the machine has one memory node");
    }

    @Test
    void unknownPlacesAreNotJudged() {
        assertThat(notApplicable(
                        rule,
                        TimelineFixture.blank()
                                .property(
                                        "run.host.numa",
                                        "node 0: 64 CPUs, 512 GiB; node 1: 64 CPUs, 512 GiB; GPU 0000:41:00.0 at an unknown node")
                                .property("run.host.gpu.0.node", "-1")
                                .property("process.1.host.numa.node", "0")
                                .kernel("7", 10, 20, "gemm")
                                .launchedBy("main", 0, 5)))
                .startsWith("where the processes ran");
    }
}

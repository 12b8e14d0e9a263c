package io.inferscope.analyzer.tables;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.model.WorkTables.ModuleFigures;
import io.inferscope.analyzer.model.WorkTables.QueueFigures;
import io.inferscope.analyzer.model.WorkTables.SequenceFigures;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What devices computed, on drawn timelines. */
class DrawnWorkTablesTest {
    private static Report work(TimelineFixture fixture) {
        return new Analyzer().analyze(fixture.build(), "drawing");
    }

    /** Three slow passes with one pair of kernels, then even ones with another. */
    @Test
    void sequencesAreThoseOfTheSteadyStateWhereThatIsJudged() {
        TimelineFixture fixture = TimelineFixture.blank();
        double at = 0;
        for (int pass = 0; pass < 15; pass++) {
            boolean slow = pass < 3;
            double kernelUs = slow ? 400 : 15;
            fixture.scope("main", at, at + (slow ? 900 : 60), "ProfilerStep#" + pass)
                    .kernel("7", at + 10, at + 10 + kernelUs, slow ? "warm_gemm" : "gemm")
                    .launchedBy("main", at + 2, at + 3)
                    .kernel("7", at + 10 + kernelUs, at + 10 + 2 * kernelUs, slow ? "warm_softmax" : "softmax")
                    .launchedBy("main", at + 4, at + 5);
            at += slow ? 900 : 60;
        }

        assertThat(work(fixture).rows(WorkTables.KERNEL_SEQUENCES))
                .isNotEmpty()
                .allSatisfy(sequence -> assertThat(sequence.kernels()).doesNotContain("warm_"));
    }

    @Test
    void sequencesThatOnlyHaveNamesInCommonAreBothListed() {
        TimelineFixture fixture = TimelineFixture.blank();
        double at = 0;
        for (int round = 0; round < 5; round++) {
            for (String name : new String[] {"x", "a", "b", "u" + round, "a", "b", "y", "v" + round}) {
                double kernelUs = name.equals("x") ? 20 : name.equals("y") ? 10 : 2;
                fixture.kernel("7", at, at + kernelUs, name);
                at += kernelUs;
            }
        }

        assertThat(work(fixture).rows(WorkTables.KERNEL_SEQUENCES))
                .extracting(SequenceFigures::kernels, SequenceFigures::count, SequenceFigures::totalNs)
                .containsExactly(tuple("x; a; b", 5L, us(120)), tuple("a; b; y", 5L, us(70)));
    }

    @Test
    void theSameLoopBegunElsewhereIsNotListedAgain() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 40; i++) {
            fixture.kernel("7", 10 * i, 10 * i + 10, i % 2 == 0 ? "a" : "b");
        }

        assertThat(work(fixture).rows(WorkTables.KERNEL_SEQUENCES))
                .extracting(SequenceFigures::kernels, SequenceFigures::count)
                .containsExactly(tuple("a; b", 20L));
    }

    /** Of the replay's kernels the name alone tells an operator; it may as well run for another module. */
    @Test
    void aGuessedOriginOfAGraphsKernelIsNoModules() {
        TimelineFixture fixture = TimelineFixture.blank()
                .python("main", 0, 100, "nn.Module: Net_0")
                .python("main", 10, 30, "nn.Module: Linear_0")
                .operator("main", 11, 29, "aten::mm")
                .kernel("7", 20, 40, "gemm")
                .launchedBy("main", 12, 14)
                .graphLaunch("main", 50, 55)
                .kernel("7", 60, 65, "gemm")
                .replayed()
                .kernel("7", 66, 69, "other")
                .replayed();

        assertThat(work(fixture).rows(WorkTables.MODULES))
                .extracting(ModuleFigures::path, ModuleFigures::deviceNs, ModuleFigures::ownNs)
                .containsExactly(tuple("Net", us(28), us(8)), tuple("Net > Linear", us(20), us(20)));
    }

    @Test
    void theModulesWithMostDeviceTimeAreListedAndTheOthersCounted() {
        TimelineFixture fixture = TimelineFixture.blank().python("main", 0, 5000, "nn.Module: Net_0");
        for (int i = 0; i < 120; i++) {
            double at = 40 * i;
            fixture.python(
                            "main",
                            at,
                            at + 30,
                            "nn.Module: Layer" + (char) ('A' + i / 26) + (char) ('A' + i % 26) + "_0")
                    .kernel("7", at + 2, at + 2 + (i == 119 ? 20 : 1 + i % 3), "k")
                    .launchedBy("main", at, at + 1);
        }
        Report work = work(fixture);

        assertThat(work.rows(WorkTables.MODULES)).hasSize(100);
        assertThat(work.notesOnTables().modulesLeftOut()).isEqualTo(21);
        assertThat(work.rows(WorkTables.MODULES))
                .first()
                .extracting(ModuleFigures::path)
                .isEqualTo("Net");
        assertThat(work.rows(WorkTables.MODULES))
                .last()
                .extracting(ModuleFigures::deviceNs)
                .isEqualTo(us(20));
    }

    /** A program may call itself as deep as its stack allows, and a damaged trace deeper. */
    @Test
    void modulesMayBeInsideEachOtherToAnyDepth() {
        int depth = 100_000;
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < depth; i++) {
            fixture.python("main", i, 4 * depth - i, "nn.Module: M_" + i % 50);
        }
        fixture.kernel("7", 2 * depth + 2, 2 * depth + 9, "gemm").launchedBy("main", 2 * depth, 2 * depth + 1);
        Report report = new Analyzer().analyze(fixture.build(), "drawing");

        assertThat(report.failures()).isEmpty();
        assertThat(report.notesOnTables().modulesLeftOut()).isEqualTo(depth - 100);
        assertThat(report.rows(WorkTables.MODULES))
                .hasSize(100)
                .allSatisfy(module -> assertThat(module.deviceNs()).isEqualTo(us(7)));
        assertThat(report.rows(WorkTables.MODULES))
                .element(2)
                .extracting(ModuleFigures::path)
                .isEqualTo("M > M > M");
    }

    /** Kernels of two streams by turns; each is launched 5 us before it starts. */
    @Test
    void eachStreamHasItsOwnQueue() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 10; i++) {
            fixture.kernel(i % 2 == 0 ? "7" : "9", 10 * i + 6, 10 * i + 9, "k")
                    .launchedBy("main", 10 * i + 1, 10 * i + 2);
        }
        fixture.kernel("9", 200, 210, "unlaunched");

        assertThat(work(fixture).rows(WorkTables.LAUNCH_QUEUES))
                .extracting(
                        QueueFigures::stream, QueueFigures::operations, QueueFigures::lengthNs, QueueFigures::waitedNs)
                .containsExactly(tuple("7", 5L, us(85), us(25)), tuple("9", 5L, us(85), us(25)));
    }

    /** A search per stream would ask for 20,000 streams of 40,000 operations each. */
    @Test
    void operationsAreAskedTwiceForTheirStreamHoweverManyThereAre() {
        AtomicInteger asked = new AtomicInteger();
        QueueTable.Parts parts = QueueTable.Parts.of(40_000, 20_001, operation -> {
            asked.incrementAndGet();
            return operation == 3 ? -1 : operation % 20_000;
        });

        assertThat(asked.get()).isEqualTo(80_000);
        assertThat(parts.of(0)).containsExactly(0, 20_000);
        assertThat(parts.of(3)).containsExactly(20_003);
        assertThat(parts.of(19_999)).containsExactly(19_999, 39_999);
        assertThat(parts.of(20_000)).isEmpty();
    }
}

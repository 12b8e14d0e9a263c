package io.inferscope.analyzer.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.blame.BlameAmounts;
import io.inferscope.analyzer.model.AmountBasis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThreadTimeTest {
    @Test
    void ofCausesThatTookAsLongTheFirstNamesAFunction() {
        Analysis analysis = Analysis.of(
                TimelineFixture.blank()
                        .python("42", 0, 100, "serve.py(7): answer")
                        .build(),
                Thresholds.defaults());
        int place = analysis.classifier().placeOf(0);
        BlameAmounts amounts = new BlameAmounts();
        for (int i = LedgerClass.values().length - 1; i >= 0; i--) {
            LedgerClass cause = LedgerClass.values()[i];
            amounts.add(
                    BlameAmounts.ONE_GROUP,
                    analysis.timeline().track(0),
                    cause,
                    ThreadState.RUNNING,
                    -1,
                    place,
                    1000,
                    AmountBasis.MEASURED);
        }
        assertThat(new ThreadTime(analysis, amounts.all()).functions(f -> true))
                .singleElement()
                .satisfies(function -> {
                    assertThat(function.cause()).isEqualTo(LedgerClass.values()[0]);
                    assertThat(function.ns()).isEqualTo(1000L * LedgerClass.values().length);
                });
    }

    @Test
    void aFunctionWithSeveralHotLinesNamesThemAndOneWithAllOfItsTimeInOneLineDoesNot() {
        assertThat(labels("a.py(3): f", 60, "a.py(9): f", 40))
                .containsExactly("Python, at lines 3 (60.0 us), 9 (40.0 us)");
        assertThat(labels("a.py(3): f", 95, "a.py(9): f", 5)).containsExactly("Python");
    }

    private static List<String> labels(String first, long firstUs, String second, long secondUs) {
        Analysis analysis = Analysis.of(
                TimelineFixture.blank()
                        .state("main", 0, 100, 100, 0, WaitReason.UNKNOWN)
                        .sample("main", 0, firstUs, first)
                        .sample("main", firstUs, firstUs + secondUs, second)
                        .build(),
                Thresholds.defaults());
        return Tables.of(analysis).time().functions(f -> true).stream()
                .map(ThreadTime.Function::label)
                .toList();
    }

    /** The main thread waits for each thread in turn, as for a thread per request. */
    @Test
    void theTimeOfManyThreadsOfAlikeNamesIsAddedUp() {
        assertThat(threadsAwaited(3)).hasSize(3).allMatch(thread -> thread.startsWith("thread Thread-"));
        assertThat(threadsAwaited(4)).containsExactly("4 threads such as thread Thread-0 (generate)");
    }

    private static List<String> threadsAwaited(int count) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100L * count, "serve")
                .state("main", 0, 100L * count, 0, 0, WaitReason.UNKNOWN)
                .sample("main", 0, 100L * count, "a.py(1): main");
        for (int i = 0; i < count; i++) {
            String thread = "Thread-" + i + " (generate)";
            fixture.state(thread, 100 * i, 100 * i + 100, 100, 0, WaitReason.UNKNOWN)
                    .sample(thread, 100 * i, 100 * i + 100, "a.py(3): decode")
                    .handedOver(thread, "main", 100 * i, 100 * i + 99);
        }
        return Tables.of(Analysis.of(fixture.build(), Thresholds.defaults()))
                .time()
                .functions(place -> place.where().startsWith("a.py:3"))
                .stream()
                .map(ThreadTime.Function::thread)
                .toList();
    }
}

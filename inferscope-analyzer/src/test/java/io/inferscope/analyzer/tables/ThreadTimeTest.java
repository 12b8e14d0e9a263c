package io.inferscope.analyzer.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.blame.BlameAmounts;
import io.inferscope.analyzer.model.Basis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.ThreadState;
import io.inferscope.timeline.fixture.TimelineFixture;
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
                    Basis.MEASURED);
        }
        assertThat(new ThreadTime(analysis, amounts.all()).functions(f -> true))
                .singleElement()
                .satisfies(function -> {
                    assertThat(function.cause()).isEqualTo(LedgerClass.values()[0]);
                    assertThat(function.ns()).isEqualTo(1000L * LedgerClass.values().length);
                });
    }
}

package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** Classes and places of rows that lie deep inside others. */
class ActivityClassifierTest {
    private static final int DEPTH = 50_000;

    @Test
    void nestingMayBeAsDeepAsARecordingIsLong() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.host(RowKind.PYTHON_FUNCTION, "main", 0, 2 * DEPTH + 2, "app.py(7): tokenize");
        for (int i = 1; i <= DEPTH; i++) {
            fixture.host(RowKind.OPERATOR, "main", i, 2 * DEPTH + 2 - i, "aten::mm");
        }
        Timeline timeline = fixture.build();
        ActivityClassifier classifier = new ActivityClassifier(timeline, true);
        int innermost = timeline.rowCount() - 1;
        assertThat(classifier.classify(innermost)).isEqualTo(LedgerClass.CPU_TOKENIZATION);
        assertThat(classifier.where(innermost)).isEqualTo("app.py:7 tokenize");
    }
}

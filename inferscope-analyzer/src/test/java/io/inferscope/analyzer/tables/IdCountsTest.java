package io.inferscope.analyzer.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

/** Counting names by id. */
class IdCountsTest {
    @Test
    void theMostFrequentNameIsFoundAmongMany() {
        Timeline timeline = names(100);
        IdCounts counts = new IdCounts();
        for (int id = 0; id < timeline.nameCount(); id++) {
            counts.add(id);
        }
        counts.add(timeline.nameId(37));
        assertThat(counts.mostFrequent(timeline)).isEqualTo(timeline.name(37));
    }

    @Test
    void ofNamesSeenEquallyOftenTheFirstInTheAlphabetCounts() {
        Timeline timeline = names(9);
        IdCounts counts = new IdCounts();
        for (int row = timeline.rowCount() - 1; row >= 0; row--) {
            counts.add(timeline.nameId(row));
        }
        assertThat(counts.mostFrequent(timeline)).isEqualTo("name 0");
    }

    @Test
    void nothingSeenHasNoName() {
        assertThat(new IdCounts().mostFrequent(names(1))).isEmpty();
    }

    private static Timeline names(int count) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < count; i++) {
            fixture.host(RowKind.OPERATOR, "main", i, i + 1, "name " + i);
        }
        return fixture.build();
    }
}

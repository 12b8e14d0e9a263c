package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.ImportStats.Entry;
import io.inferscope.timeline.ImportStats.Reason;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ImportStatsTest {
    @Test
    void aReasonKeepsItsCountAndTheFirstPlace() {
        ImportStats.Builder builder = new ImportStats.Builder().source("a.json");
        builder.count(Reason.BAD_TIMESTAMP, 100, "first");
        builder.count(Reason.BAD_TIMESTAMP, 4, 50, "later in the input, earlier in the file");
        builder.source("b.json").count(Reason.BAD_TIMESTAMP, 1, "other file");

        assertThat(builder.build().entries())
                .containsExactly(new Entry(Reason.BAD_TIMESTAMP, 6, "a.json", 100, "first"));
    }

    @Test
    void entriesComeInTheOrderOfTheReasonsNotOfTheInput() {
        ImportStats.Builder builder = new ImportStats.Builder();
        builder.count(Reason.UNKNOWN_CATEGORY, 0, "");
        builder.count(Reason.MISSING_DURATION, 0, "");
        builder.count(Reason.FLOW, 0, "");

        assertThat(builder.build().entries())
                .extracting(Entry::reason)
                .containsExactly(Reason.MISSING_DURATION, Reason.FLOW, Reason.UNKNOWN_CATEGORY);
    }

    @Test
    void countsAddUpByEffect() {
        ImportStats.Builder builder = new ImportStats.Builder();
        builder.count(Reason.MISSING_DURATION, 2, 0, "");
        builder.count(Reason.TRUNCATED, 0, "");
        builder.count(Reason.BAD_TEXT, 5, 0, "");
        builder.count(Reason.FLOW, 9, 0, "");

        ImportStats stats = builder.build();
        assertThat(stats.count(Effect.DROPPED)).isEqualTo(3);
        assertThat(stats.count(Effect.REPAIRED)).isEqualTo(5);
        assertThat(stats.count(Effect.IGNORED)).isEqualTo(9);
        assertThat(stats.count(Reason.FLOW)).isEqualTo(9);
        assertThat(stats.count(Reason.MALFORMED)).isZero();
    }

    @Test
    void countingNoneIsNoEntry() {
        ImportStats.Builder builder = new ImportStats.Builder();
        builder.count(Reason.FLOW, 0, 17, "");
        builder.count(Reason.FLOW, -1, 17, "");

        assertThat(builder.build().entries()).isEmpty();
    }

    @Test
    void whatWasBuiltDoesNotChangeWithItsBuilder() {
        ImportStats.Builder builder = new ImportStats.Builder().source("a.json");
        builder.event();
        builder.bytes(10);
        builder.count(Reason.FLOW, 3, "");
        ImportStats before = builder.build();
        builder.event();
        builder.bytes(10);
        builder.count(Reason.FLOW, 4, "");
        ImportStats both = builder.build();
        builder.clear();
        builder.count(Reason.FLOW, 5, "");

        assertThat(before.eventsRead()).isEqualTo(1);
        assertThat(before.bytesRead()).isEqualTo(10);
        assertThat(before.count(Reason.FLOW)).isEqualTo(1);
        assertThat(both.eventsRead()).isEqualTo(2);
        assertThat(both.bytesRead()).isEqualTo(20);
        assertThat(both.count(Reason.FLOW)).isEqualTo(2);
        assertThat(builder.build().eventsRead()).isZero();
        assertThat(builder.build().bytesRead()).isZero();
        assertThat(builder.build().entries()).containsExactly(new Entry(Reason.FLOW, 1, "a.json", 5, ""));
    }

    @Test
    void everyReasonSaysInLowerCaseWhatItIs() {
        assertThat(Reason.values()).allSatisfy(reason -> {
            assertThat(reason.text()).isNotBlank().doesNotEndWith(".");
            String firstWord = reason.text().split(" ", -1)[0];
            assertThat(firstWord).isEqualTo(firstWord.toLowerCase(Locale.ROOT));
        });
        assertThat(Arrays.stream(Reason.values()).map(Reason::text)).doesNotHaveDuplicates();
    }
}

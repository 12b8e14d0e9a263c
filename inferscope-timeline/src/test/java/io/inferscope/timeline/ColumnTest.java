package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

class ColumnTest {
    private static final long ABSENT = -7;

    @Test
    void everyWidthKeepsItsValues() {
        for (long range : new long[] {0, 1, 65534, 65535, 4294967294L, 4294967295L, 1L << 40, Long.MAX_VALUE}) {
            for (long least : new long[] {0, -3_000_000_000L, 1_700_000_000_000_000_000L}) {
                keeps(row -> row % 3 == 0 ? least : row % 3 == 1 ? least + range : least + range / 2);
                keeps(row -> row % 3 == 0 ? least : row % 3 == 1 ? least + range : ABSENT);
            }
        }
        keeps(row -> row % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE);
    }

    @Test
    void fewValuesAreFoundAmongAbsentOnes() {
        for (int every : new int[] {2, 13, 64, 1000, 16384, 100_000}) {
            keeps(row -> row % every == every - 1 ? row * 1_000_000_007L : ABSENT);
            keeps(row -> row % every == 0 ? row : ABSENT);
        }
        keeps(row -> ABSENT);
    }

    @Test
    void segmentsDifferInWidth() {
        Random random = new Random(1);
        long[] widths = {1, 100, 1L << 20, 1L << 50};
        keeps(row -> (random.nextLong() & (widths[row / Column.SEGMENT % 4] - 1)) + ((long) row << 30));
    }

    @Test
    void runsAreColumnsToo() {
        int[] firstRows = {0, 0, 3, Column.SEGMENT + 1, Column.SEGMENT + 1, 3 * Column.SEGMENT};
        Column column = Column.ofRuns(firstRows, new ColumnStore.Pool());
        for (int run = 0; run + 1 < firstRows.length; run++) {
            for (int row = firstRows[run]; row < firstRows[run + 1]; row++) {
                assertThat(column.get(row)).isEqualTo(run);
            }
        }
        Column.ofRuns(new int[] {0}, new ColumnStore.Pool());
    }

    /** Stores rows in reverse and compares them one by one, for counts around the borders of segments. */
    private static void keeps(IntToLongFunction values) {
        for (int count : new int[] {1, 63, 65, Column.SEGMENT, 4 * Column.SEGMENT + 5}) {
            long[] expected = new long[count];
            Arrays.setAll(expected, values);
            ColumnStore store = new ColumnStore(ABSENT, new ColumnStore.Pool());
            int[] order = new int[count];
            for (int row = 0; row < count; row++) {
                store.set(count - 1 - row, expected[row]);
                order[row] = count - 1 - row;
            }
            for (int from : new int[] {0, count / 3}) {
                long[] copied = new long[count - from];
                store.copy(from, copied.length, copied);
                long[] reversed = new long[copied.length];
                Arrays.setAll(reversed, i -> expected[expected.length - 1 - from - i]);
                assertThat(copied).isEqualTo(reversed);
            }
            Column column = store.ordered(order);
            assertThat(store.isEmpty()).isTrue();
            long[] found = new long[count];
            Arrays.setAll(found, column::get);
            assertThat(found).isEqualTo(expected);
        }
    }
}

package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RowOrderTest {
    private final Random random = new Random(1);

    private record Given(int track, long startNs, long endNs, long sequence, int number) {}

    @Test
    void rowsInAnyOrderAreSorted() {
        for (int size : new int[] {0, 1, 2, 3, 100, 5000}) {
            List<Given> rows = rows(size);
            sorts(rows);
            Collections.shuffle(rows, random);
            sorts(rows);
        }
    }

    @Test
    void runsAreMerged() {
        for (int runs : new int[] {2, 3, 7, 64, 65, 200}) {
            List<Given> rows = new ArrayList<>();
            for (int run = 0; run < runs; run++) {
                List<Given> one = rows(1 + random.nextInt(50));
                one.sort(RowOrderTest::compare);
                rows.addAll(one);
            }
            sorts(rows);
            Collections.reverse(rows);
            sorts(rows);
        }
    }

    private List<Given> rows(int count) {
        List<Given> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long startNs = random.nextInt(1 + count / 2);
            rows.add(new Given(random.nextInt(3), startNs, startNs + random.nextInt(3), random.nextInt(2), i));
        }
        return rows;
    }

    /** Rows that are equal in everything stay as they came. */
    private static void sorts(List<Given> rows) {
        RowStore store = new RowStore();
        Names names = new Names(10);
        for (Given row : rows) {
            int added = store.add(RowKind.OPERATOR, row.track, row.startNs, row.endNs, names.intern("a"));
            store.set(added, Attribute.SEQUENCE, row.sequence);
        }
        List<Given> expected = new ArrayList<>(rows);
        expected.sort(RowOrderTest::compare);
        List<Given> found = new ArrayList<>();
        int[] sameTracks = {0, 1, 2};
        for (int row : new RowOrder(store, names).sorted(sameTracks, store.firstRows(sameTracks))) {
            found.add(rows.get(row));
        }
        assertThat(found).isEqualTo(expected);
    }

    private static int compare(Given a, Given b) {
        return Comparator.comparingInt(Given::track)
                .thenComparingLong(Given::startNs)
                .thenComparing(Comparator.comparingLong(Given::endNs).reversed())
                .thenComparingLong(Given::sequence)
                .compare(a, b);
    }
}

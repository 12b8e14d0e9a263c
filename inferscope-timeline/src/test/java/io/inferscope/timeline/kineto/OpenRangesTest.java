package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenRangesTest {
    private static final String[] NAMES = {"", "a", "b", "c"};

    @Test
    void endClosesTheInnermostRangeOfItsName() {
        OpenRanges ranges = new OpenRanges();
        ranges.begin(0, "a");
        ranges.begin(1, "a");
        ranges.begin(2, "b");
        assertThat(ranges.end("a")).isEqualTo(1);
        assertThat(ranges.end("")).isEqualTo(2);
        assertThat(ranges.end("")).isEqualTo(0);
        assertThat(ranges.end("a")).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everyEndClosesWhatASearchOfTheWholeStackFinds(long seed) {
        Random random = new Random(seed);
        OpenRanges ranges = new OpenRanges();
        List<String> stack = new ArrayList<>();
        List<Integer> rows = new ArrayList<>();
        for (int row = 0; row < 2_000; row++) {
            String name = NAMES[random.nextInt(NAMES.length)];
            if (random.nextInt(100) < 52) {
                ranges.begin(row, name);
                stack.add(name);
                rows.add(row);
            } else {
                int expected = search(stack, name);
                assertThat(ranges.end(name)).isEqualTo(expected < 0 ? -1 : rows.get(expected));
                if (expected >= 0) {
                    stack.remove(expected);
                    rows.remove(expected);
                }
            }
        }
        List<Integer> left = new ArrayList<>();
        ranges.forEach((row, name) -> left.add(0, row));
        assertThat(left).isEqualTo(rows);
    }

    /** A search per end would take some 10^10 steps here. */
    @Test
    void endsOfOtherNamesDoNotSearchTheStack() {
        OpenRanges ranges = new OpenRanges();
        int count = 150_000;
        for (int row = 0; row < count; row++) {
            ranges.begin(row, "open");
        }
        for (int i = 0; i < count; i++) {
            assertThat(ranges.end("other " + i)).isEqualTo(-1);
        }
        assertThat(ranges.end("open")).isEqualTo(count - 1);
    }

    private static int search(List<String> stack, String name) {
        for (int i = stack.size() - 1; i >= 0; i--) {
            if (name.isEmpty() || stack.get(i).isEmpty() || stack.get(i).equals(name)) {
                return i;
            }
        }
        return -1;
    }
}

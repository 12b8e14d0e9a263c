package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IntervalsTest {
    /** Reads {@code #} as inside and anything else as outside, one nanosecond per character. */
    private static Intervals set(String drawn) {
        Intervals.Builder builder = new Intervals.Builder(1);
        for (int i = 0; i < drawn.length(); i++) {
            if (drawn.charAt(i) == '#') {
                builder.add(i, i + 1);
            }
        }
        return builder.build();
    }

    @ParameterizedTest
    @CsvSource({
        // a,          b,          union,      intersection, a minus b
        "####......, ......####, ####..####, .........., ####......",
        "####......, ....####.., ########.., .........., ####......",
        "#####....., ..####...., ######...., ..###....., ##........",
        "##########, ...##.###., ##########, ...##.###., ###..#...#",
        "...##.###., ##########, ##########, ...##.###., ..........",
        "#.#.#.#.#., .#.#.#.#.#, ##########, .........., #.#.#.#.#.",
        "##.##.##.., #########., #########., ##.##.##.., ..........",
        ".........., ..##......, ..##......, .........., ..........",
        "..##......, .........., ..##......, .........., ..##......",
        "##########, ##########, ##########, ##########, ..........",
    })
    void algebraIsThatOfSetsOfInstants(String a, String b, String union, String intersection, String difference) {
        assertThat(set(a).union(set(b))).isEqualTo(set(union));
        assertThat(set(a).intersect(set(b))).isEqualTo(set(intersection));
        assertThat(set(a).minus(set(b))).isEqualTo(set(difference));
    }

    @Test
    void touchingIntervalsAreOne() {
        Intervals set =
                new Intervals.Builder(2).add(5, 10).add(0, 5).add(10, 11).build();

        assertThat(set).isEqualTo(Intervals.of(0, 11)).hasToString("{[0,11)}");
        assertThat(set.count()).isEqualTo(1);
    }

    @Test
    void emptyAndReversedIntervalsAreNothing() {
        assertThat(new Intervals.Builder(2).add(7, 7).add(9, 3).build()).isEqualTo(Intervals.EMPTY);
        assertThat(Intervals.of(7, 7)).isEqualTo(Intervals.EMPTY);
        assertThat(Intervals.EMPTY.totalNs()).isZero();
        assertThat(Intervals.EMPTY.longestNs()).isZero();
        assertThat(Intervals.EMPTY.isEmpty()).isTrue();
    }

    @Test
    void anEnclosedIntervalDoesNotShortenTheUnion() {
        assertThat(new Intervals.Builder(4).add(0, 100).add(10, 20).add(50, 60).build())
                .isEqualTo(Intervals.of(0, 100));
        assertThat(new Intervals.Builder(4).add(10, 20).add(0, 100).add(50, 60).build())
                .isEqualTo(Intervals.of(0, 100));
    }

    @Test
    void stampsBeyondFiftyThreeBitsStayExact() {
        long unixNs = 1_790_000_000_123_456_789L;
        Intervals set = new Intervals.Builder(2)
                .add(unixNs, unixNs + 1)
                .add(unixNs + 2, unixNs + 3)
                .build();

        assertThat(set.count()).isEqualTo(2);
        assertThat(set.totalNs()).isEqualTo(2);
        assertThat(set.complementWithin(unixNs, unixNs + 3)).isEqualTo(Intervals.of(unixNs + 1, unixNs + 2));
    }

    @Test
    void theComplementHasHeadGapsAndTail() {
        Intervals busy = set("...##..#..");

        assertThat(busy.complementWithin(0, 10)).isEqualTo(set("###..##.##"));
        assertThat(busy.complementWithin(4, 7)).isEqualTo(set(".....##..."));
        assertThat(busy.complementWithin(3, 5)).isEqualTo(Intervals.EMPTY);
        assertThat(busy.complementWithin(6, 6)).isEqualTo(Intervals.EMPTY);
    }

    @Test
    void shortIntervalsCanBeLeftOut() {
        assertThat(set("#..##..####.").atLeast(2)).isEqualTo(set("...##..####."));
        assertThat(set("#").atLeast(2)).isEqualTo(Intervals.EMPTY);
    }

    @Test
    void aBuilderStaysUsableAfterItBuilt() {
        Intervals.Builder builder = new Intervals.Builder(1).add(0, 2);
        Intervals before = builder.build();
        builder.add(1, 4).add(-3, -1);

        assertThat(before).isEqualTo(Intervals.of(0, 2));
        assertThat(builder.build()).hasToString("{[-3,-1) [0,4)}");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyOperationEqualsABitSet(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            BitSet aBits = new BitSet();
            BitSet bBits = new BitSet();
            Intervals a = random(random, aBits);
            Intervals b = random(random, bBits);

            assertEqual(a, aBits);
            assertEqual(a.union(b), or(aBits, bBits));
            assertEqual(a.intersect(b), and(aBits, bBits));
            assertEqual(a.minus(b), andNot(aBits, bBits));
            int from = random.nextInt(130);
            int to = random.nextInt(130);
            BitSet range = new BitSet();
            range.set(Math.min(from, to), to);
            assertEqual(a.clip(from, to), and(aBits, range));
            assertEqual(a.complementWithin(from, to), andNot(range, aBits));
            assertThat(a.totalWithinNs(from, to)).isEqualTo(and(aBits, range).cardinality());
            int edge = from + 1;
            while (edge <= 140 && aBits.get(edge) == aBits.get(edge - 1)) {
                edge++;
            }
            assertThat(a.nextEdgeNs(from)).isEqualTo(edge > 140 ? Long.MAX_VALUE : edge);
        }
    }

    private static Intervals random(Random random, BitSet bits) {
        Intervals.Builder builder = new Intervals.Builder(0);
        int longest = 1 + random.nextInt(30);
        for (int i = random.nextInt(random.nextInt(4) == 0 ? 60 : 20); i > 0; i--) {
            int start = random.nextInt(100);
            int end = start + random.nextInt(longest);
            builder.add(start, end);
            bits.set(start, end);
        }
        return builder.build();
    }

    private static void assertEqual(Intervals actual, BitSet expected) {
        Intervals.Builder builder = new Intervals.Builder(4);
        int longest = 0;
        for (int start = expected.nextSetBit(0); start >= 0; ) {
            int end = expected.nextClearBit(start);
            builder.add(start, end);
            longest = Math.max(longest, end - start);
            start = expected.nextSetBit(end);
        }
        assertThat(actual).isEqualTo(builder.build());
        assertThat(actual.totalNs()).isEqualTo(expected.cardinality());
        assertThat(actual.longestNs()).isEqualTo(longest);
        assertThat(actual).hasSameHashCodeAs(builder.build());
    }

    private static BitSet or(BitSet a, BitSet b) {
        BitSet result = (BitSet) a.clone();
        result.or(b);
        return result;
    }

    private static BitSet and(BitSet a, BitSet b) {
        BitSet result = (BitSet) a.clone();
        result.and(b);
        return result;
    }

    private static BitSet andNot(BitSet a, BitSet b) {
        BitSet result = (BitSet) a.clone();
        result.andNot(b);
        return result;
    }
}

package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OrderTest {
    private record Item(int a, long b, double c, String d) {}

    private record Pair(Comparator<Item> ours, Comparator<Item> jdks) {}

    static Stream<Pair> pairs() {
        Comparator<String> backwards = Comparator.reverseOrder();
        return Stream.of(
                new Pair(
                        Order.comparing(Item::d).thenComparingInt(Item::a).thenComparingLong(Item::b),
                        Comparator.comparing(Item::d).thenComparingInt(Item::a).thenComparingLong(Item::b)),
                new Pair(
                        Order.comparingInt(Item::a).reversed().thenComparing(Item::d),
                        Comparator.comparingInt(Item::a).reversed().thenComparing(Item::d)),
                new Pair(
                        Order.comparingLong(Item::b)
                                .thenComparing(Item::d, backwards)
                                .reversed(),
                        Comparator.comparingLong(Item::b)
                                .thenComparing(Item::d, backwards)
                                .reversed()),
                new Pair(
                        Order.comparing(Item::d, backwards).thenComparingDouble(Item::c),
                        Comparator.comparing(Item::d, backwards).thenComparingDouble(Item::c)),
                new Pair(
                        Order.comparingDouble(Item::c).thenComparing(Order.comparing(Item::a)),
                        Comparator.comparingDouble(Item::c).thenComparing(Comparator.comparing(Item::a))),
                new Pair(
                        byEntry(Order.<String, Integer>comparingByKey().thenComparing(Order.comparingByValue())),
                        byEntry(Map.Entry.<String, Integer>comparingByKey()
                                .thenComparing(Map.Entry.comparingByValue()))),
                new Pair(
                        byEntry(Order.<String, Integer>comparingByValue(Comparator.reverseOrder())
                                .thenComparing(Order.comparingByKey())),
                        byEntry(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                                .thenComparing(Map.Entry.comparingByKey()))),
                new Pair(
                        byEntry(Order.largestFirst()),
                        byEntry(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                                .thenComparing(Map.Entry.comparingByKey()))));
    }

    private static Comparator<Item> byEntry(Comparator<Map.Entry<String, Integer>> order) {
        return (one, other) -> order.compare(Map.entry(one.d, one.a), Map.entry(other.d, other.a));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void itSortsLikeTheJdksComparators(Pair pair) {
        Random random = new Random(7);
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            items.add(new Item(random.nextInt(3), random.nextInt(3), random.nextInt(3), "" + random.nextInt(3)));
        }
        List<Item> expected = new ArrayList<>(items);
        expected.sort(pair.jdks);
        items.sort(pair.ours);
        assertThat(items).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void noArchiveRefusesItsLambdas(Pair pair) {
        assertThat(pair.ours).isNotInstanceOf(Serializable.class);
    }
}

package io.inferscope.timeline;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/**
 * Comparators as {@link Comparator} makes them, but of plain lambdas. The JDK's are serializable, and no start-up
 * archive holds classes of serializable lambdas: each would be made at each start, and the first of them takes 10 ms.
 *
 * @param <T> what is compared
 */
@FunctionalInterface
public interface Order<T> extends Comparator<T> {
    /** As {@link Comparator#comparing(Function)}. */
    static <T, K extends Comparable<? super K>> Order<T> comparing(Function<? super T, ? extends K> key) {
        return (a, b) -> key.apply(a).compareTo(key.apply(b));
    }

    /** As {@link Comparator#comparing(Function, Comparator)}. */
    static <T, K> Order<T> comparing(Function<? super T, ? extends K> key, Comparator<? super K> byKey) {
        return (a, b) -> byKey.compare(key.apply(a), key.apply(b));
    }

    /** As {@link Comparator#comparingInt}. */
    static <T> Order<T> comparingInt(ToIntFunction<? super T> key) {
        return (a, b) -> Integer.compare(key.applyAsInt(a), key.applyAsInt(b));
    }

    /** As {@link Comparator#comparingLong}. */
    static <T> Order<T> comparingLong(ToLongFunction<? super T> key) {
        return (a, b) -> Long.compare(key.applyAsLong(a), key.applyAsLong(b));
    }

    /** As {@link Comparator#comparingDouble}. */
    static <T> Order<T> comparingDouble(ToDoubleFunction<? super T> key) {
        return (a, b) -> Double.compare(key.applyAsDouble(a), key.applyAsDouble(b));
    }

    /** As {@link Map.Entry#comparingByKey()}. */
    static <K extends Comparable<? super K>, V> Order<Map.Entry<K, V>> comparingByKey() {
        return (a, b) -> a.getKey().compareTo(b.getKey());
    }

    /** The largest value first, and of equal ones the smallest key. */
    static <K extends Comparable<? super K>, V extends Comparable<? super V>> Order<Map.Entry<K, V>> largestFirst() {
        return Order.<K, V>comparingByValue().reversed().thenComparing(comparingByKey());
    }

    /** Returns the same amounts, the largest first. */
    static <K extends Comparable<? super K>> Map<K, Long> largestFirst(Map<K, Long> amounts) {
        Map<K, Long> ordered = new LinkedHashMap<>();
        amounts.entrySet().stream()
                .sorted(Order.largestFirst())
                .forEach(entry -> ordered.put(entry.getKey(), entry.getValue()));
        return ordered;
    }

    /** Returns the key of the largest amount, of equal ones the smallest key; empty without any. */
    static <K extends Comparable<? super K>, V extends Comparable<? super V>> Optional<K> largest(Map<K, V> amounts) {
        return amounts.entrySet().stream().min(largestFirst()).map(Map.Entry::getKey);
    }

    /** As {@link Map.Entry#comparingByValue()}. */
    static <K, V extends Comparable<? super V>> Order<Map.Entry<K, V>> comparingByValue() {
        return (a, b) -> a.getValue().compareTo(b.getValue());
    }

    /** As {@link Map.Entry#comparingByValue(Comparator)}. */
    static <K, V> Order<Map.Entry<K, V>> comparingByValue(Comparator<? super V> byValue) {
        return (a, b) -> byValue.compare(a.getValue(), b.getValue());
    }

    @Override
    default Order<T> reversed() {
        return (a, b) -> compare(b, a);
    }

    @Override
    default Order<T> thenComparing(Comparator<? super T> other) {
        return (a, b) -> {
            int order = compare(a, b);
            return order != 0 ? order : other.compare(a, b);
        };
    }

    @Override
    default <U extends Comparable<? super U>> Order<T> thenComparing(Function<? super T, ? extends U> key) {
        return thenComparing(comparing(key));
    }

    @Override
    default <U> Order<T> thenComparing(Function<? super T, ? extends U> key, Comparator<? super U> byKey) {
        return thenComparing(comparing(key, byKey));
    }

    @Override
    default Order<T> thenComparingInt(ToIntFunction<? super T> key) {
        return thenComparing(comparingInt(key));
    }

    @Override
    default Order<T> thenComparingLong(ToLongFunction<? super T> key) {
        return thenComparing(comparingLong(key));
    }

    @Override
    default Order<T> thenComparingDouble(ToDoubleFunction<? super T> key) {
        return thenComparing(comparingDouble(key));
    }
}

package io.inferscope.analyzer.analysis;

import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** What a name says, found out once for each name id. */
final class ByName<T> {
    private final IntFunction<T> of;
    private @Nullable Object[] known = new Object[256];

    /** Makes an empty table. {@code of} is asked once for each name id and never returns null. */
    ByName(IntFunction<T> of) {
        this.of = of;
    }

    @SuppressWarnings("unchecked") // Only results of `of` are stored.
    T get(int nameId) {
        if (nameId >= known.length) {
            known = Arrays.copyOf(known, Math.max(nameId + 1, known.length * 2));
        }
        Object value = known[nameId];
        if (value == null) {
            value = of.apply(nameId);
            known[nameId] = value;
        }
        return (T) value;
    }
}

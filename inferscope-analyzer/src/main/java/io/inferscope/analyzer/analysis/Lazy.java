package io.inferscope.analyzer.analysis;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value computed when first asked for, and kept: several rules and the report ask for the same tables. Not thread-safe. */
final class Lazy<T> {
    private final Supplier<T> computation;
    private @Nullable T value;

    Lazy(Supplier<T> computation) {
        this.computation = computation;
    }

    T get() {
        T known = value;
        if (known == null) {
            known = computation.get();
            value = known;
        }
        return known;
    }
}

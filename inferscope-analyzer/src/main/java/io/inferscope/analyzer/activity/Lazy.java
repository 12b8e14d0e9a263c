package io.inferscope.analyzer.activity;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value computed when first asked for, and kept: several rules and the report ask for the same tables. Not
 * thread-safe.
 */
public final class Lazy<T> {
    private final Supplier<T> computation;
    private @Nullable T value;

    public Lazy(Supplier<T> computation) {
        this.computation = computation;
    }

    public T get() {
        T known = value;
        if (known == null) {
            known = computation.get();
            value = known;
        }
        return known;
    }
}

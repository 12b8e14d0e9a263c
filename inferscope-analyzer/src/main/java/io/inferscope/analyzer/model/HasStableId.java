package io.inferscope.analyzer.model;

import java.util.Locale;

/** A constant with an id that programs may rely on. */
public interface HasStableId {
    /** Returns the constant's name. */
    String name();

    /** Returns the stable id; unless the constant says otherwise, its name as in {@code steady-state}. */
    default String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

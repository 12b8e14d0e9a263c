package io.inferscope.timeline;

import java.util.Locale;

/** Kinds of memory that decide how a copy is made. Recorders name them in words of their own, all with these in them. */
public enum MemoryKind {
    /** Host memory that the driver must stage. */
    PAGEABLE,
    /** Memory that host and device share, whose pages move when touched. */
    MANAGED;

    /** Returns whether a copy is from or to such memory, as far as is recorded: {@link Attribute#MEMORY_KINDS}. */
    public boolean isOf(Timeline timeline, int copy) {
        String kinds = timeline.attributeText(copy, Attribute.MEMORY_KINDS);
        return kinds.toLowerCase(Locale.ROOT).contains(name().toLowerCase(Locale.ROOT));
    }
}

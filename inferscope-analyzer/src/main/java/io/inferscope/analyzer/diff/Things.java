package io.inferscope.analyzer.diff;

import io.inferscope.timeline.RowKind;
import java.util.Locale;

/** Kinds of things that are aligned by name. */
enum Things {
    /** Kernels. */
    KERNELS("Kernels"),
    /** Copies and sets. */
    COPIES("Copies and memory sets"),
    /** Operators of the framework. */
    OPERATORS("Operators"),
    /** Scopes. */
    ANNOTATIONS("Annotations"),
    /** Requests. */
    REQUESTS("Requests");

    private final String title;

    Things(String title) {
        this.title = title;
    }

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    String title() {
        return title;
    }

    boolean isKind(RowKind kind) {
        return switch (this) {
            case KERNELS -> kind == RowKind.KERNEL;
            case COPIES -> kind.isMemcpy() || kind == RowKind.MEMSET;
            case OPERATORS -> kind == RowKind.OPERATOR;
            case ANNOTATIONS -> kind == RowKind.ANNOTATION;
            case REQUESTS -> kind == RowKind.REQUEST;
        };
    }

    /** Returns what to call one; names that become the same are put together. */
    String name(String name) {
        return this == ANNOTATIONS ? Names.ofAnnotation(name) : name;
    }
}

package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.timeline.RowKind;

/** The kinds of entities that a comparison aligns by name. */
enum EntityKind implements HasStableId {
    KERNELS("Kernels"),
    /** Names of kernels differ between devices and versions of libraries; those of operators hardly do. */
    DEVICE_TIME("Device time by the operator that launched it"),
    COPIES("Copies and memory sets"),
    OPERATORS("Operators"),
    ANNOTATIONS("Annotations"),
    REQUESTS("Requests");

    private final String title;

    EntityKind(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** Returns whether the entities are rows of a kind, which have a name each. */
    boolean isKind(RowKind kind) {
        return switch (this) {
            case KERNELS -> kind == RowKind.KERNEL;
            case DEVICE_TIME -> false; // It is computed from launches.
            case COPIES -> kind.isMemcpy() || kind == RowKind.MEMSET;
            case OPERATORS -> kind == RowKind.OPERATOR;
            case ANNOTATIONS -> kind == RowKind.ANNOTATION;
            case REQUESTS -> kind == RowKind.REQUEST;
        };
    }

    /** Returns the name under which an entity is compared; entities with equal results are put together. */
    String name(String name) {
        return this == ANNOTATIONS ? StableNames.ofAnnotation(name) : name;
    }
}

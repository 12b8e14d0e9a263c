package io.inferscope.analyzer.model;

import java.util.Locale;

/** Kinds of operators, by how their work is counted. */
public enum WorkKind implements Identified {
    MATMUL,
    CONVOLUTION,
    ATTENTION,
    NORMALISATION,
    SOFTMAX,
    ELEMENTWISE,
    REDUCTION,
    EMBEDDING,
    COPY,
    /** The work is not known. */
    UNKNOWN;

    /** Returns the word for it in reports: {@code matmul}; empty if the work is not known. */
    @Override
    public String id() {
        return this == UNKNOWN ? "" : name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether matrix units can do it: NVIDIA's tensor cores, AMD's matrix cores. */
    public boolean isMatrix() {
        return this == MATMUL || this == CONVOLUTION || this == ATTENTION;
    }
}

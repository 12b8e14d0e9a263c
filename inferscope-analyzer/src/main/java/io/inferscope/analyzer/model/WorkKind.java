package io.inferscope.analyzer.model;

/** Kinds of operators, by how their work is counted. */
public enum WorkKind implements HasStableId {
    MATMUL,
    CONVOLUTION,
    ATTENTION,
    NORMALISATION,
    SOFTMAX,
    ELEMENTWISE,
    REDUCTION,
    EMBEDDING,
    COPY;

    /** Returns whether matrix units can do it: NVIDIA's tensor cores, AMD's matrix cores. */
    public boolean isMatrix() {
        return this == MATMUL || this == CONVOLUTION || this == ATTENTION;
    }
}

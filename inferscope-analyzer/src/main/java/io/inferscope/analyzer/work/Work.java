package io.inferscope.analyzer.work;

import java.util.Locale;

/**
 * The least work of one call of an operator.
 *
 * @param kind the kind of operator
 * @param flops floating-point operations, a multiplication and an addition counted as two
 * @param bytes memory traffic when every input is read once and every output written once; {@link Double#NaN} when a type is not known
 * @param type the type of the elements that it computes with
 */
public record Work(Kind kind, double flops, double bytes, ElementType type) {
    /** Kinds of operators, by how their work is counted. */
    public enum Kind {
        MATMUL,
        CONVOLUTION,
        ATTENTION,
        NORMALISATION,
        SOFTMAX,
        ELEMENTWISE,
        REDUCTION,
        EMBEDDING,
        COPY;

        /** Returns the word for it in reports. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns whether matrix units can do it: NVIDIA's tensor cores, AMD's matrix cores. */
        public boolean isMatrix() {
            return ordinal() <= ATTENTION.ordinal();
        }
    }
}

package io.inferscope.analyzer.work;

import io.inferscope.analyzer.model.WorkKind;

/**
 * The least work of one call of an operator.
 *
 * @param kind the kind of operator
 * @param flops floating-point operations, a multiplication and an addition counted as two
 * @param bytes memory traffic when every input is read once and every output written once; {@link Double#NaN} when a
 *     type is not known
 * @param type the type of the elements that it computes with
 */
public record Work(WorkKind kind, double flops, double bytes, ElementType type) {}

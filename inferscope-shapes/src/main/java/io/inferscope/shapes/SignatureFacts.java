package io.inferscope.shapes;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.analyzer.work.Work;
import io.inferscope.shapes.log.ShapeBody.Call;

/**
 * What is known of each call with a signature.
 *
 * @param flops operations of one call, {@link Double#NaN} when no formula is known
 * @param bytes least traffic of one call, {@link Double#NaN} when it is not known
 * @param elements elements of the outputs of one call
 * @param isError whether the call failed
 * @param firstLog the log that had it first
 */
record SignatureFacts(double flops, double bytes, long elements, boolean isError, int firstLog) {
    static SignatureFacts of(Call call, int log) {
        Work work = LoggedWork.of(call);
        return new SignatureFacts(
                work == null ? Double.NaN : work.flops(),
                work == null ? Double.NaN : work.bytes(),
                ShapeTensor.elements(call.outputs()),
                call.isError(),
                log);
    }
}

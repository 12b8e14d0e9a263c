package io.inferscope.shapes;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.analyzer.work.Work;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.util.Arrays;

/** Work and first call of each signature. */
final class SignatureFacts {
    private double[] flops = new double[64];
    private double[] bytes = new double[64];
    private long[] elements = new long[64];
    private long[] firstCall = new long[64];
    private int[] firstLog = new int[64];

    /** Adds the next signature. */
    void add(int id, Call call, int log) {
        if (id == flops.length) {
            int length = id + id / 2;
            flops = Arrays.copyOf(flops, length);
            bytes = Arrays.copyOf(bytes, length);
            elements = Arrays.copyOf(elements, length);
            firstCall = Arrays.copyOf(firstCall, length);
            firstLog = Arrays.copyOf(firstLog, length);
        }
        Work work = LoggedWork.of(call);
        flops[id] = work == null ? Double.NaN : work.flops();
        bytes[id] = work == null ? Double.NaN : work.bytes();
        elements[id] = ShapeTensor.elements(call.outputs());
        firstLog[id] = log;
    }

    void firstCall(int id, long callId) {
        firstCall[id] = callId;
    }

    /** Returns the operations of one call, {@link Double#NaN} when no formula is known. */
    double flops(int id) {
        return flops[id];
    }

    /** Returns the least traffic of one call, {@link Double#NaN} when it is not known. */
    double bytes(int id) {
        return bytes[id];
    }

    /** Returns the elements of the outputs of one call. */
    long elements(int id) {
        return elements[id];
    }

    long firstCall(int id) {
        return firstCall[id];
    }

    int firstLog(int id) {
        return firstLog[id];
    }
}

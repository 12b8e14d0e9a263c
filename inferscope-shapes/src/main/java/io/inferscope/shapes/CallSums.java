package io.inferscope.shapes;

import io.inferscope.shapes.ShapeReport.Totals;

/** Adds up calls and their work. The number of elements does not exceed {@link Long#MAX_VALUE}. */
final class CallSums {
    private long calls;
    private long errors;
    private long elements;
    private long workCalls;
    private long trafficCalls;
    private double flops;
    private double bytes;

    void add(SignatureFacts facts, long count) {
        if (count == 0) {
            return;
        }
        addOther(count, facts.isError());
        long each = facts.elements();
        boolean fits = Math.multiplyHigh(each, count) == 0 && each * count >= 0 && elements + each * count >= 0;
        elements = fits ? elements + each * count : Long.MAX_VALUE;
        if (!Double.isNaN(facts.flops())) {
            flops += count * facts.flops();
            workCalls += count;
        }
        if (!Double.isNaN(facts.bytes())) {
            bytes += count * facts.bytes();
            trafficCalls += count;
        }
    }

    void add(CallSums others, long times) {
        calls += times * others.calls;
        errors += times * others.errors;
        long more = Math.multiplyHigh(others.elements, times) == 0 ? others.elements * times : -1;
        elements = more < 0 || elements + more < 0 ? Long.MAX_VALUE : elements + more;
        workCalls += times * others.workCalls;
        trafficCalls += times * others.trafficCalls;
        flops += times * others.flops;
        bytes += times * others.bytes;
    }

    /** Adds calls whose shapes were not kept. */
    void addOther(long count, boolean failed) {
        calls += count;
        errors += failed ? count : 0;
    }

    long calls() {
        return calls;
    }

    Totals totals(long operators, long shapes) {
        return new Totals(calls, operators, shapes, errors, elements, flops, workCalls, bytes, trafficCalls);
    }
}

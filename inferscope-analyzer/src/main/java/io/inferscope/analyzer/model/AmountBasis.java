package io.inferscope.analyzer.model;

import org.jspecify.annotations.Nullable;

/**
 * How an amount of time is known.
 *
 * @param counted whether a counter says how long, but not when
 * @param placed where the counted time may lie; null if the counter leaves no choice
 * @param sampleNs the time that one stack sample represents, in ns; 0 if no sample shows what the time was spent on
 */
public record AmountBasis(boolean counted, @Nullable Placement placed, long sampleNs) {
    /** Intervals alone. */
    public static final AmountBasis MEASURED = new AmountBasis(false, null, 0);

    /** Returns whether counters or samples have a part in it. */
    public boolean isEstimated() {
        return counted || sampleNs > 0;
    }

    /** Returns the basis of a part of an amount with this basis. */
    public AmountBasis ofPart(long partNs, long ofNs) {
        return placed == null || partNs == ofNs
                ? this
                : new AmountBasis(counted, placed.scaled((double) partNs / ofNs), sampleNs);
    }

    /** Returns the basis of an amount that rests on this basis and on another. */
    public AmountBasis and(AmountBasis other) {
        Placement both = placed == null ? other.placed : other.placed == null ? placed : placed.and(other.placed);
        return new AmountBasis(counted || other.counted, both, Math.max(sampleNs, other.sampleNs));
    }

    /** Returns this basis with samples that represent {@code weightNs} each; 0 for none. */
    public AmountBasis sampled(long weightNs) {
        return weightNs == sampleNs ? this : new AmountBasis(counted, placed, weightNs);
    }
}

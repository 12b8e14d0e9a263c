package io.inferscope.analyzer.model;

/**
 * What an amount of time rests on.
 *
 * @param counted whether a counter says how long, but not when: the amount may be off by {@code boundNs}
 * @param boundNs how far the amount may be off, either way, because of that
 * @param sampleNs what one stack sample stands for, in ns, where a sample says what the time was spent on; 0 where no sample does
 */
public record Basis(boolean counted, long boundNs, long sampleNs) {
    /** Intervals alone. */
    public static final Basis MEASURED = new Basis(false, 0, 0);

    /** Returns whether counters or samples have a part in it. */
    public boolean isEstimated() {
        return counted || sampleNs > 0;
    }

    /** Returns the basis of a part of what rests on this one: its error shrinks with it. */
    public Basis ofPart(long partNs, long ofNs) {
        return boundNs == 0 || partNs == ofNs
                ? this
                : new Basis(counted, (long) Math.ceil((double) boundNs * partNs / ofNs), sampleNs);
    }

    /** Returns the basis of what rests on two: their errors add up. */
    public Basis and(Basis other) {
        return new Basis(counted || other.counted, boundNs + other.boundNs, Math.max(sampleNs, other.sampleNs));
    }

    /** Returns the same, said by samples of {@code weightNs} each; 0 for none. */
    public Basis sampled(long weightNs) {
        return weightNs == sampleNs ? this : new Basis(counted, boundNs, weightNs);
    }
}

package io.inferscope.collectors.host;

/**
 * How to sample.
 *
 * @param overheadRatio the CPU time that all of InferScope may use while observing, as a share of one core, above 0
 * @param sampleRateHz the highest sampling rate, 1 to {@link #MAX_RATE_HZ} times a second
 * @param perf whether to open perf events for every context switch, faults and counters as well
 * @param natives whether to sample native code below Python
 * @param windowNs the part of each period in which to sample; 0: always
 * @param periodNs from the start of a window to that of the next
 */
public record HostOptions(
        double overheadRatio, int sampleRateHz, boolean perf, boolean natives, long windowNs, long periodNs) {
    /** Default of the sampling rate. */
    public static final int DEFAULT_RATE_HZ = 100;

    /** The highest sampling rate that can be set. */
    public static final int MAX_RATE_HZ = 1000;

    /** The default: 3 % of one core. */
    public static final HostOptions DEFAULT = new HostOptions(0.03, DEFAULT_RATE_HZ, false, false, 0, 0);

    /** Checks the values. */
    public HostOptions {
        if (!(overheadRatio > 0 && overheadRatio <= 1)) {
            throw new IllegalArgumentException("overhead " + overheadRatio + " is not above 0 and at most 1");
        }
        if (sampleRateHz < 1 || sampleRateHz > MAX_RATE_HZ) {
            throw new IllegalArgumentException("sample rate " + sampleRateHz + " is not 1 to " + MAX_RATE_HZ);
        }
    }

    /** Returns whether a long run may be sampled less: the user asked for no more than the defaults. */
    boolean settles() {
        return overheadRatio <= DEFAULT.overheadRatio && sampleRateHz == DEFAULT_RATE_HZ;
    }

    /**
     * Returns where the window begins that a time is in, or else the next one. Periods begin at multiples of their length, by
     * which the probe knows them too.
     */
    long windowAtNs(long nowNs) {
        long startNs = nowNs / periodNs * periodNs;
        return nowNs < startNs + windowNs ? startNs : startNs + periodNs;
    }

    /** Returns whether the probe stores each record twice in a period: in every second one. */
    boolean isTwice(long startNs) {
        return startNs / periodNs % 2 == 1;
    }

    /**
     * Reads a share of one core.
     *
     * @param text such as {@code 1%}, {@code 0.5 %} or {@code 2}: percent in each case
     * @throws IllegalArgumentException when it is not above 0 and at most 100 percent
     */
    public static double overheadRatio(String text) {
        String number =
                text.endsWith("%") ? text.substring(0, text.length() - 1).trim() : text.trim();
        double percent;
        try {
            percent = Double.parseDouble(number);
        } catch (NumberFormatException noNumber) {
            percent = Double.NaN;
        }
        if (!(percent > 0 && percent <= 100)) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a share of a core: write for instance 1% (above 0, at most 100%)");
        }
        return percent / 100;
    }
}

package io.inferscope.fleet;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The share of one time in another over many recordings, and how far it could be off if other recordings had been taken:
 * the interval between the 2.5th and the 97.5th percentile of a bootstrap over recordings.
 */
final class Shares {
    private static final int SEED = 59;
    private static final int MOST_RESAMPLES = 1000;

    /** Draws of all resamples together. */
    private static final long MOST_DRAWS = 4_000_000;

    private long[] parts = new long[16];
    private long[] wholes = new long[16];
    private int size;

    /**
     * A share.
     *
     * @param ratio the sum of the parts by the sum of the wholes, 0 without any
     * @param low lower end of the interval; equal to the ratio where one recording gives none
     * @param high upper end
     */
    record Interval(double ratio, double low, double high) {}

    /** Adds a recording: {@code part} of {@code whole} ns. */
    void add(long part, long whole) {
        if (size == parts.length) {
            parts = Arrays.copyOf(parts, 2 * size);
            wholes = Arrays.copyOf(wholes, 2 * size);
        }
        parts[size] = part;
        wholes[size++] = whole;
    }

    long part() {
        return Arrays.stream(parts, 0, size).sum();
    }

    long whole() {
        return Arrays.stream(wholes, 0, size).sum();
    }

    int size() {
        return size;
    }

    Interval interval() {
        double ratio = ratio(part(), whole());
        if (size < 2) {
            return new Interval(ratio, ratio, ratio);
        }
        int resamples = (int) Math.max(100, Math.min(MOST_RESAMPLES, MOST_DRAWS / size));
        double[] drawn = new double[resamples];
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < resamples; i++) {
            long part = 0;
            long whole = 0;
            for (int j = 0; j < size; j++) {
                int one = random.nextInt(size);
                part += parts[one];
                whole += wholes[one];
            }
            drawn[i] = ratio(part, whole);
        }
        Arrays.sort(drawn);
        return new Interval(ratio, drawn[(int) (0.025 * resamples)], drawn[(int) (0.975 * (resamples - 1))]);
    }

    private static double ratio(long part, long whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }
}

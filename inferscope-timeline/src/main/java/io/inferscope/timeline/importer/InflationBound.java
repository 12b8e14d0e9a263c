package io.inferscope.timeline.importer;

import java.util.function.LongSupplier;

/** Refuses input that inflates to an excessive size (a zip bomb). */
public final class InflationBound {
    /** Up to this output the ratio is not checked, because reading it takes a second. */
    private static final long FREE_BYTES = 256L << 20;
    /** Deflate reaches 1032 (RFC 1951: 258 bytes in two bits); traces of profilers reach 10 to 60. */
    private static final int MAX_RATIO = 400;

    private final String what;
    private final LongSupplier deflatedBytes;
    private long inflatedBytes;

    /**
     * Makes a bound.
     *
     * @param what a word for the inflated input
     * @param deflatedBytes returns the compressed bytes read so far
     */
    public InflationBound(String what, LongSupplier deflatedBytes) {
        this.what = what;
        this.deflatedBytes = deflatedBytes;
    }

    /**
     * Counts inflated bytes.
     *
     * @throws RefusedInputException when the ratio of inflated to compressed bytes is too large
     */
    public void inflated(int bytes) throws RefusedInputException {
        inflatedBytes += Math.max(0, bytes);
        if (inflatedBytes > FREE_BYTES && inflatedBytes / MAX_RATIO > deflatedBytes.getAsLong()) {
            throw new RefusedInputException(
                    "refused after " + (inflatedBytes >> 20) + " MiB: " + (deflatedBytes.getAsLong() >> 10) + " KiB of "
                            + what + " inflate to more than " + MAX_RATIO + " times as much",
                    "if this is a real trace, inflate it and name the plain file");
        }
    }
}

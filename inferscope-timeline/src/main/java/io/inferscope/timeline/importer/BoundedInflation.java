package io.inferscope.timeline.importer;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/** Inflates gzip, and refuses what was made to inflate without end. */
final class BoundedInflation extends GZIPInputStream {
    /** Below this much output no ratio is judged: it is read in a second. */
    private static final long FREE_BYTES = 256L << 20;
    /** Deflate reaches 1032 (RFC 1951: 258 bytes in two bits); traces of profilers reach 10 to 60. */
    private static final int MAX_RATIO = 400;

    private final CountedInput counted;
    private long inflatedBytes;

    BoundedInflation(InputStream deflated, int bufferBytes) throws IOException {
        this(new CountedInput(deflated), bufferBytes);
    }

    private BoundedInflation(CountedInput counted, int bufferBytes) throws IOException {
        super(counted, bufferBytes);
        this.counted = counted;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = super.read(buffer, offset, length);
        inflatedBytes += Math.max(0, read);
        if (inflatedBytes > FREE_BYTES && inflatedBytes / MAX_RATIO > counted.bytes) {
            throw new RefusedInputException(
                    "refused after " + (inflatedBytes >> 20) + " MiB: " + (counted.bytes >> 10)
                            + " KiB of gzip inflate to more than " + MAX_RATIO + " times as much",
                    "if this is a real trace, inflate it and name the plain file");
        }
        return read;
    }

    /** Counts what the inflater took. */
    private static final class CountedInput extends java.io.FilterInputStream {
        private long bytes;

        CountedInput(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int read = super.read(buffer, offset, length);
            bytes += Math.max(0, read);
            return read;
        }
    }
}

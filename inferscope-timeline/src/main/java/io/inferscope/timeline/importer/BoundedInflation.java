package io.inferscope.timeline.importer;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Inflates gzip, and refuses what was made to inflate without end. */
final class BoundedInflation extends FilterInputStream {
    /** Below this much output no ratio is judged: it is read in a second. */
    private static final long FREE_BYTES = 256L << 20;
    /** Deflate reaches 1032 (RFC 1951: 258 bytes in two bits); traces of profilers reach 10 to 60. */
    private static final int MAX_RATIO = 400;

    private final GzipMembers members;
    private long inflatedBytes;

    BoundedInflation(InputStream deflated, int bufferBytes) {
        this(new GzipMembers(deflated, bufferBytes));
    }

    private BoundedInflation(GzipMembers members) {
        super(members);
        this.members = members;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = members.read(buffer, offset, length);
        inflatedBytes += Math.max(0, read);
        if (inflatedBytes > FREE_BYTES && inflatedBytes / MAX_RATIO > members.deflatedBytes()) {
            throw new RefusedInputException(
                    "refused after " + (inflatedBytes >> 20) + " MiB: " + (members.deflatedBytes() >> 10)
                            + " KiB of gzip inflate to more than " + MAX_RATIO + " times as much",
                    "if this is a real trace, inflate it and name the plain file");
        }
        return read;
    }
}

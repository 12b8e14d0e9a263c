package io.inferscope.timeline.importer;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Inflates gzip within {@link InflationBound}. */
final class BoundedInflation extends FilterInputStream {
    private final InflationBound bound;

    BoundedInflation(InputStream deflated, int bufferBytes) {
        this(new GzipMembers(deflated, bufferBytes));
    }

    private BoundedInflation(GzipMembers members) {
        super(members);
        bound = new InflationBound("gzip", members::deflatedBytes);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = super.read(buffer, offset, length);
        bound.inflated(read);
        return read;
    }
}

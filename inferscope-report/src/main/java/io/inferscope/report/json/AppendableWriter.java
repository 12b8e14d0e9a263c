package io.inferscope.report.json;

import java.io.IOException;
import java.io.Writer;
import java.nio.CharBuffer;

/** A writer over any {@link Appendable}, which stays open. */
final class AppendableWriter extends Writer {
    private final Appendable out;

    AppendableWriter(Appendable out) {
        this.out = out;
    }

    @Override
    public void write(char[] buffer, int offset, int length) throws IOException {
        out.append(CharBuffer.wrap(buffer, offset, length));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}

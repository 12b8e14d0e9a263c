package io.inferscope.timeline.files;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;

/** Compresses at a level of {@link java.util.zip.Deflater}, which the JDK's stream does not offer. */
public final class LeveledGzip extends GZIPOutputStream {
    public LeveledGzip(OutputStream out, int bufferBytes, int level) throws IOException {
        super(out, bufferBytes);
        def.setLevel(level);
    }
}

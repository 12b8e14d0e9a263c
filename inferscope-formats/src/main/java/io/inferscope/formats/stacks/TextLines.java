package io.inferscope.formats.stacks;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The lines of a text in UTF-8. A line beyond {@link #MAX_BYTES} is dropped and counted, so that no input needs much
 * memory.
 */
final class TextLines {
    static final int MAX_BYTES = 1 << 20;

    private final InputStream in;
    private final ImportStats.Builder stats;
    private byte[] line = new byte[1 << 12];
    private int length;
    private boolean tooLong;
    private long offsetBytes;
    private long startBytes;

    /** Receives a line; {@code ended} is false for a last line without a line feed. */
    interface Consumer {
        void line(String text, boolean ended, long offsetBytes);
    }

    TextLines(InputStream in, ImportStats.Builder stats) {
        this.in = in;
        this.stats = stats;
    }

    void forEach(Consumer consumer) throws IOException {
        byte[] buffer = new byte[1 << 16];
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                for (int i = 0; i < read; i++) {
                    offsetBytes++;
                    if (buffer[i] == '\n') {
                        give(consumer, true);
                    } else {
                        append(buffer[i]);
                    }
                }
            }
        } finally {
            give(consumer, false);
        }
    }

    private void append(byte b) {
        if (length == MAX_BYTES) {
            tooLong = true;
        } else {
            if (length == line.length) {
                line = Arrays.copyOf(line, length * 2);
            }
            line[length++] = b;
        }
    }

    private void give(Consumer consumer, boolean ended) {
        if (tooLong) {
            stats.event();
            stats.count(Reason.NOT_AN_EVENT, startBytes, "line longer than " + MAX_BYTES + " bytes");
        } else if (length > 0) {
            int end = line[length - 1] == '\r' ? length - 1 : length;
            String text = new String(line, 0, end, StandardCharsets.UTF_8);
            stats.count(Reason.BAD_TEXT, text.indexOf('\ufffd') < 0 ? 0 : 1, startBytes, "");
            consumer.line(text, ended, startBytes);
        }
        length = 0;
        tooLong = false;
        startBytes = offsetBytes;
    }
}

package io.inferscope.timeline.importer;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Settings for parsing foreign JSON: they accept deviations from the standard that profilers write, and limit sizes.
 */
public final class JsonText {
    /** Deepest nesting of objects and lists. */
    public static final int MAX_NESTING = 200;

    private static final int BLOCK_CHARS = 1 << 13;

    private JsonText() {}

    /** Reads UTF-8; invalid bytes become replacement characters. */
    public static Reader repairing(InputStream in) {
        return new InputStreamReader(
                in,
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPLACE)
                        .onUnmappableCharacter(CodingErrorAction.REPLACE));
    }

    /** Returns the text of {@link #repairing} as UTF-8 again. */
    public static InputStream repaired(InputStream in) {
        return encoded(repairing(in), in);
    }

    /** Returns a text as UTF-8; closing the result closes {@code source}. */
    static InputStream encoded(Reader text, InputStream source) {
        return new BlockInputStream() {
            private final char[] letters = new char[BLOCK_CHARS];
            private byte[] bytes = new byte[0];
            private int at;

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                if (at == bytes.length) {
                    int read = text.read(letters, 0, BLOCK_CHARS - 1);
                    if (read < 0) {
                        return -1;
                    }
                    if (Character.isHighSurrogate(letters[read - 1])) {
                        int low = text.read();
                        letters[read] = (char) low;
                        read += low < 0 ? 0 : 1;
                    }
                    bytes = new String(letters, 0, read).getBytes(StandardCharsets.UTF_8);
                    at = 0;
                }
                int count = Math.min(length, bytes.length - at);
                System.arraycopy(bytes, at, into, offset, count);
                at += count;
                return count;
            }

            @Override
            public void close() throws IOException {
                source.close();
            }
        };
    }

    /**
     * Returns a factory of parsers.
     *
     * @param maxTextChars longest text
     * @param maxNameChars longest name of a member and longest number, which are kept in memory even if unread
     */
    public static JsonFactoryBuilder factory(int maxTextChars, int maxNameChars) {
        return new JsonFactoryBuilder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_NESTING)
                        .maxStringLength(maxTextChars)
                        .maxNameLength(maxNameChars)
                        .maxNumberLength(maxNameChars)
                        .build())
                .configure(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS, true)
                .configure(JsonReadFeature.ALLOW_TRAILING_COMMA, true)
                .configure(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS, true)
                .configure(JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER, true)
                .configure(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION, false);
    }
}

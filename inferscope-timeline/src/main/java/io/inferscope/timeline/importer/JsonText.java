package io.inferscope.timeline.importer;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
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
                .configure(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION, false);
    }
}

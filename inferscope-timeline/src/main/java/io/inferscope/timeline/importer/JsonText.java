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

/** How JSON of strangers is parsed: with what profilers write that the standard forbids, and with bounds. */
public final class JsonText {
    /** How deep objects and lists may lie within each other. */
    public static final int MAX_NESTING = 200;

    private JsonText() {}

    /** Reads UTF-8 in which bytes that are none become replacement characters. */
    public static Reader repairing(InputStream in) {
        return new InputStreamReader(
                in,
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPLACE)
                        .onUnmappableCharacter(CodingErrorAction.REPLACE));
    }

    /**
     * Returns what makes parsers.
     *
     * @param maxTextChars of a text
     * @param maxNameChars of a member's name and of a number, which are held in memory whether or not they are read
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

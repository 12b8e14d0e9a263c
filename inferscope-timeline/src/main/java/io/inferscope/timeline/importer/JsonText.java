package io.inferscope.timeline.importer;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;

/** How JSON of strangers is parsed: with what profilers write that the standard forbids, and with bounds. */
public final class JsonText {
    /** How deep objects and lists may lie within each other. */
    public static final int MAX_NESTING = 200;

    private JsonText() {}

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

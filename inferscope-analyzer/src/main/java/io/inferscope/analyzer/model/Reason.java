package io.inferscope.analyzer.model;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One reason of a verdict.
 *
 * @param check id of the failed trust check; null if the reason is a figure
 * @param detail the figure, or the check's result
 * @param remedy what to record next time for a verdict; null if there is a verdict
 */
public record Reason(
        @Nullable String check, String detail, @Nullable String remedy) {
    /** A figure that the verdict rests on. */
    public static Reason figure(String detail) {
        return new Reason(null, detail, null);
    }

    /** Returns the reason in one or two sentences. */
    public Stream<String> sentences() {
        return remedy == null ? Stream.of(detail) : Stream.of(detail, "To decide: " + remedy);
    }
}

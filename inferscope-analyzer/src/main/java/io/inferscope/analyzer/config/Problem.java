package io.inferscope.analyzer.config;

/**
 * An error in a file of settings.
 *
 * @param file its name as the user gave it
 * @param line the line, from 1; 0 for the file as a whole
 * @param text what is wrong, and what is allowed
 */
public record Problem(String file, int line, String text) {
    /** Makes one line of a text that may quote what is in the file. */
    public Problem {
        text = text.replaceAll("[\\p{Cntrl}\u2028\u2029]+", " ").strip();
    }

    /** Returns {@code rules.yaml:7: unknown metric ...}. */
    @Override
    public String toString() {
        return (line > 0 ? file + ":" + line : file) + ": " + text;
    }
}

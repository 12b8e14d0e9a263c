package io.inferscope.analyzer.config;

/**
 * Something in a file of settings that cannot be meant.
 *
 * @param file its name as the user gave it
 * @param line the line, from 1; 0 where it is the file as a whole
 * @param text what is wrong there, and what would be right
 */
public record Problem(String file, int line, String text) {
    /** Returns {@code rules.yaml:7: unknown metric ...}. */
    @Override
    public String toString() {
        return (line > 0 ? file + ":" + line : file) + ": " + text;
    }
}

package io.inferscope.cli.common;

import java.util.Locale;
import java.util.Optional;

/** How much is written to standard error; each level says what those before it say. */
public enum LogLevel {
    /** What went wrong. */
    ERROR,
    /** What is left out or doubtful. */
    WARN,
    /** What is done, and what came of it. */
    INFO,
    /** Where settings come from; stack traces of errors. */
    DEBUG;

    /** Returns a level by its name; {@code warning} is another name of {@code warn}. */
    static Optional<LogLevel> byName(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (LogLevel level : values()) {
            if (level.name().equals(upper.equals("WARNING") ? "WARN" : upper)) {
                return Optional.of(level);
            }
        }
        return Optional.empty();
    }

    /** Returns whether things of a level are said at this one. */
    public boolean says(LogLevel level) {
        return compareTo(level) >= 0;
    }
}

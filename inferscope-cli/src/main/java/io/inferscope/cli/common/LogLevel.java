package io.inferscope.cli.common;

import java.util.Locale;
import java.util.Optional;

/** How much is written to standard error; each level includes those before it. */
public enum LogLevel {
    ERROR,
    /** Omissions and doubts. */
    WARN,
    /** Progress and results. */
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

    /** Returns whether messages of {@code level} are printed at this level. */
    public boolean says(LogLevel level) {
        return compareTo(level) >= 0;
    }
}

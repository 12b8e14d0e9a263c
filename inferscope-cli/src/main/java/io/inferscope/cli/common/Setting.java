package io.inferscope.cli.common;

import io.inferscope.report.Renderers;
import java.util.Locale;
import java.util.Set;

/**
 * What can be set outside the command line: by a variable of the environment, or by a key of {@code .inferscope.yaml}.
 */
public enum Setting {
    /** Whether {@code run} records at all. */
    ENABLED("true", "true or false"),
    /** How much is written to standard error. */
    LOG_LEVEL("info", "error, warn, info or debug"),
    /** Cap of each recorder's file. */
    TRACE_SIZE_MB("100", "1 to " + CommandSpecs.MAX_TRACE_MB),
    /** The report's file if the command line names none. */
    REPORT_PATH("", "a file whose name ends in .md, .html, .json or .txt"),
    /** From which error of a clock on the report warns. */
    SYNC_ERROR_MARGIN_US("1000", "microseconds, 1 to 1000000000"),
    /** Limits and rules of the user's own. */
    RULES_FILE("", "a file");

    private static final Set<String> YES = Set.of("true", "1", "yes", "on");
    private static final Set<String> NO = Set.of("false", "0", "no", "off");
    private static final long MOST_US = 1_000_000_000;

    private final String fallback;
    private final String expected;

    Setting(String fallback, String expected) {
        this.fallback = fallback;
        this.expected = expected;
    }

    /** Returns its key in the file. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether its value names a file. */
    boolean isPath() {
        return this == REPORT_PATH || this == RULES_FILE;
    }

    String variable() {
        return "INFERSCOPE_" + name();
    }

    /** Returns its default. */
    public String fallback() {
        return fallback;
    }

    /** Returns a description of valid values, for messages. */
    String expected() {
        return expected;
    }

    public boolean accepts(String text) {
        return switch (this) {
            case ENABLED -> YES.contains(lower(text)) || NO.contains(lower(text));
            case LOG_LEVEL -> LogLevel.byName(text).isPresent();
            case TRACE_SIZE_MB -> isWithin(text, CommandSpecs.MAX_TRACE_MB);
            case REPORT_PATH -> hasFormat(text);
            case SYNC_ERROR_MARGIN_US -> isWithin(text, MOST_US);
            case RULES_FILE -> !text.isBlank();
        };
    }

    private static boolean isWithin(String text, long most) {
        return text.matches("[0-9]{1,10}") && Long.parseLong(text) >= 1 && Long.parseLong(text) <= most;
    }

    private static boolean hasFormat(String text) {
        try {
            Renderers.byFileName(text);
            return true;
        } catch (IllegalArgumentException unknown) {
            return false;
        }
    }

    /** Returns whether a valid value of a boolean setting means on. */
    public static boolean isOn(String text) {
        return YES.contains(lower(text));
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}

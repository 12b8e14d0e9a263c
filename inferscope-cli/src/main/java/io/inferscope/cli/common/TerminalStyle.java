package io.inferscope.cli.common;

import io.inferscope.collectors.os.UserEnvironment;
import io.inferscope.report.console.ConsoleOptions;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Terminal settings from the user's environment: colour by NO_COLOR and TERM, character set by the locale. */
public final class TerminalStyle {
    private final Function<String, @Nullable String> environment;

    /** Makes the style of this process's environment. */
    public TerminalStyle() {
        this(System::getenv);
    }

    TerminalStyle(Function<String, @Nullable String> environment) {
        this.environment = environment;
    }

    /** Returns the settings for a terminal of a width. */
    public ConsoleOptions terminal(int columns) {
        boolean color = set("NO_COLOR").isEmpty() && !set("TERM").equals(Optional.of("dumb"));
        return new ConsoleOptions(columns, color, ascii());
    }

    /** Returns how to write into a pipe. */
    public ConsoleOptions pipe() {
        return new ConsoleOptions(ConsoleOptions.FILE.width(), false, ascii());
    }

    /** Whether only ASCII is possible. An unset locale, as in containers, says nothing about the terminal. */
    private boolean ascii() {
        String own = UserEnvironment.hidden(environment, "LC_ALL"); // The launcher does if the locale is not UTF-8.
        return own != null
                && Stream.concat(Stream.of(own), Stream.of("LC_CTYPE", "LANG").flatMap(name -> set(name).stream()))
                        .filter(name -> !name.isEmpty())
                        .findFirst()
                        .filter(name -> !name.toLowerCase(Locale.ROOT).matches(".*utf-?8.*"))
                        .isPresent();
    }

    private Optional<String> set(String name) {
        return Optional.ofNullable(environment.apply(name)).filter(value -> !value.isEmpty());
    }
}

package io.inferscope.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.report.console.ConsoleOptions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalStyleTest {
    @Test
    void aTerminalHasItsWidthAndColours() {
        assertThat(style(Map.of("TERM", "xterm")).terminal(133)).isEqualTo(new ConsoleOptions(133, true, false));
        assertThat(style(Map.of("NO_COLOR", "")).terminal(133).color()).isTrue();
    }

    @Test
    void colourCanBeRefused() {
        assertThat(style(Map.of("NO_COLOR", "1")).terminal(80).color()).isFalse();
        assertThat(style(Map.of("TERM", "dumb")).terminal(80).color()).isFalse();
        assertThat(style(Map.of("TERM", "xterm")).pipe().color()).isFalse();
    }

    /** The launcher hides the user's LC_ALL where the shell does not count letters of UTF-8 as one. */
    @ParameterizedTest
    @CsvSource({
        "C, '', '', true",
        "POSIX, '', en_US.UTF-8, true",
        "'', C, en_US.UTF-8, true",
        "'', '', de_DE.ISO-8859-1, true",
        "'', '', en_US.UTF-8, false",
        "C.utf8, '', C, false",
        "'', '', '', false",
    })
    void lettersAreThoseOfTheLocale(String lcAll, String lcCtype, String lang, boolean ascii) {
        Map<String, String> hidden = lcAll.isEmpty()
                ? Map.of("INFERSCOPE_UNSET", " PWD LC_ALL ")
                : Map.of("INFERSCOPE_UNSET", " PWD ", "INFERSCOPE_CHILD_LC_ALL", lcAll);
        Map<String, String> environment = new HashMap<>(Map.of("LC_CTYPE", lcCtype, "LANG", lang));
        environment.putAll(hidden);
        TerminalStyle style = style(environment);

        assertThat(style.terminal(80).ascii()).isEqualTo(ascii);
        assertThat(style.pipe().ascii()).isEqualTo(ascii);
    }

    @Test
    void whereTheLauncherSawUtf8NothingIsEscaped() {
        assertThat(style(Map.of("LANG", "C")).pipe().ascii()).isFalse();
    }

    private static TerminalStyle style(Map<String, String> environment) {
        return new TerminalStyle(environment::get);
    }
}

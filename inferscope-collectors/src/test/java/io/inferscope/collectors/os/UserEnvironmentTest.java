package io.inferscope.collectors.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UserEnvironmentTest {
    @Test
    void aProgramGetsBackWhatTheLauncherHasHidden() {
        Map<String, String> variables = new HashMap<>(Map.of(
                "A", "1",
                "PWD", "/set/by/bash",
                "SHLVL", "0",
                "INFERSCOPE_UNSET", " PWD _ ",
                "INFERSCOPE_CHILD_SHLVL", "7",
                "INFERSCOPE_CHILD_JAVA_TOOL_OPTIONS", "-Dpw=secret",
                "INFERSCOPE_CHILD__JAVA_OPTIONS", ""));
        assertThat(UserEnvironment.restore(variables)).isTrue();
        assertThat(variables)
                .isEqualTo(Map.of("A", "1", "SHLVL", "7", "JAVA_TOOL_OPTIONS", "-Dpw=secret", "_JAVA_OPTIONS", ""));
    }

    @Test
    void withoutTheLauncherNothingChanges() {
        Map<String, String> variables = new HashMap<>(Map.of("A", "1", "INFERSCOPE_CHILD_B", "2"));
        assertThat(UserEnvironment.restore(variables)).isFalse();
        assertThat(variables).isEqualTo(Map.of("A", "1", "INFERSCOPE_CHILD_B", "2"));
    }

    @ParameterizedTest
    @CsvSource({"INT, 2", "STKFLT, 16", "RTMIN, 34", "RTMIN+2, 36", "RTMAX-1, 63", "RTMAX, 64", "NONE, 0", "'', 0"})
    void namesOfSignalsAreThoseOfBash(String name, int number) {
        assertThat(Inheritance.number(name)).isEqualTo(number);
    }
}

package io.inferscope.collectors.os;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TerminalTest {
    @Test
    void foregroundMeansThatOurGroupIsTheTerminals() {
        assertThat(Terminal.of("7 (ja) va) S 1 70 60 34816 70 4194304")).isEqualTo(new Terminal(true, false, true));
        assertThat(Terminal.of("7 (java) S 1 70 60 34816 71 4194304")).isEqualTo(new Terminal(true, false, false));
    }

    @Test
    void theLeaderOfASessionIsTheProcessThatTheSessionIsNamedAfter() {
        assertThat(Terminal.of("7 (java) S 1 7 7 34816 7 4194304")).isEqualTo(new Terminal(true, true, true));
    }

    @Test
    void withoutATerminalThereIsNoForeground() {
        assertThat(Terminal.of("7 (java) S 1 70 60 0 -1 4194304")).isEqualTo(new Terminal(false, false, false));
    }
}

package io.inferscope.shapes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextIdsTest {
    @Test
    void textsBeyondTheLimitAreOthers() {
        TextIds ids = new TextIds(2);
        assertThat(ids.id("a")).isEqualTo(ids.id("a"));
        assertThat(ids.text(ids.id("b"))).isEqualTo("b");
        assertThat(ids.text(ids.id("c"))).isEqualTo(TextIds.OTHERS);
        assertThat(ids.id("d")).isEqualTo(ids.id("c"));
        assertThat(ids.text(ids.id("b"))).isEqualTo("b");
    }

    @Test
    void longTextsAreKeptInBoundedMemory() {
        TextIds ids = new TextIds(20_000);
        for (int i = 0; i < 5_000; i++) {
            ids.id("x".repeat(10_000) + i);
            ids.id(i + "x".repeat(10_000));
        }
        assertThat(ids.text(ids.id("0" + "x".repeat(10_000)))).as("cut").hasSize(2_000);
        assertThat(ids.size()).as("4 Mi characters").isBetween(2_000, 2_200);
        assertThat(ids.text(ids.id("short"))).isEqualTo(TextIds.OTHERS);
    }
}

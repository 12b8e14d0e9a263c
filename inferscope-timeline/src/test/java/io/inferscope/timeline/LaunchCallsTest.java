package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.files.KnowledgeTable;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LaunchCallsTest {
    @Test
    void eachRowOfTheTableMatchesItsExample() {
        assertThat(KnowledgeTable.read(LaunchCalls.class, "launch-calls.tsv", cells -> cells))
                .isNotEmpty()
                .allSatisfy(cells -> {
                    assertThat(cells[1]).matches(Pattern.compile(cells[0]));
                    assertThat(LaunchCalls.contains(cells[1])).isTrue();
                });
        assertThat(LaunchCalls.contains("cuLaunchHostFunc")).isFalse();
    }
}

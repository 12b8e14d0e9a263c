package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.Failure;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A defect in one part of a report costs that part. */
class AttemptsTest {
    @Test
    void whatFailsIsNamedAndTheRestIsMade() {
        Attempts attempts = new Attempts(true);

        List<String> broken = attempts.list("table kernels", () -> {
            throw new IllegalStateException("first line\nsecond line");
        });
        String endless = attempts.at("notes", "none", () -> {
            throw new StackOverflowError();
        });

        assertThat(broken).isEmpty();
        assertThat(endless).isEqualTo("none");
        assertThat(attempts.at("verdict", "none", () -> "cpu")).isEqualTo("cpu");
        assertThat(attempts.failures())
                .containsExactly(
                        new Failure("table kernels", "IllegalStateException: first line"),
                        new Failure("notes", "StackOverflowError"));
    }

    @Test
    void detailsAreMadeOnlyIfTheyAreWanted() {
        assertThat(new Attempts(true).detail("table copies", () -> List.of("one")))
                .containsExactly("one");

        Attempts attempts = new Attempts(false);
        assertThat(attempts.<String>detail("table copies", () -> {
                    throw new IllegalStateException("not wanted");
                }))
                .isEmpty();
        assertThat(attempts.list("table kernels", () -> List.of("one"))).containsExactly("one");
        assertThat(attempts.failures()).isEmpty();
    }
}

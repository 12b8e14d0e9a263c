package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import org.junit.jupiter.api.Test;

class AsyncPageableCopiesRuleTest {
    private final Rule rule = new AsyncPageableCopiesRule();

    private static final String COPYING = """
            us           0         10        20
            name H = Memcpy HtoD (Pageable -> Device)
            thread main  LL{cudaMemcpyAsync  }LL
            stream 7     ..KK................HHKK
            links in order
            """;

    @Test
    void anAsynchronousCopyOfPageableMemoryBlocks() {
        Finding finding = found(rule, COPYING);

        assertThat(finding.costNs()).isEqualTo(us(16));
        assertThat(finding.claim())
                .startsWith(
                        "Inside the calls of 1 asynchronous copies with pageable memory the GPU is idle for 16.0 us");
        assertThat(finding.advice()).contains("pin_memory");
    }

    @Test
    void pinnedMemoryDoesNotBlock() {
        assertThat(clean(rule, COPYING.replace("Pageable", "Pinned")))
                .isEqualTo("no asynchronous copies with pageable memory");
    }

    @Test
    void aSynchronousCopyIsNotMeant() {
        assertThat(clean(rule, COPYING.replace("{cudaMemcpyAsync  }", "{cudaMemcpy       }")))
                .isEqualTo("no asynchronous copies with pageable memory");
    }
}

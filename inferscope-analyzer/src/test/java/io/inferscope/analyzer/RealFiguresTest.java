package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures of real traces that must not get worse, or must not change at all. */
@Tag("traces")
class RealFiguresTest {
    /**
     * Per trace the largest share of the judged ledger (the span of the headline device, the window where one short operation is all of the span, else the window of the subject thread) that may be
     * unattributed, in percent. A value may only fall.
     */
    private static final Map<String, Double> UNATTRIBUTED_CEILINGS = Map.ofEntries(
            Map.entry("a100-alexnet", 0.0),
            Map.entry("a100-cupti-ranges", 0.1),
            Map.entry("a100-event-sync-multistream", 95.0),
            Map.entry("a100-event-sync", 0.0),
            Map.entry("a100-nccl", 4.3),
            Map.entry("a100-simple-add", 0.0),
            Map.entry("a100-trace-diff-control", 1.9),
            Map.entry("b200-eager", 0.0),
            Map.entry("backward-thread", 84.5),
            Map.entry("compare-base", 99.3),
            Map.entry("compare-test", 99.4),
            Map.entry("cpu-only-no-gpu", 0.1),
            Map.entry("cpu-only-training", 16.3),
            Map.entry("h100-bert-small", 0.0),
            Map.entry("h100-nsfw-vit", 0.0),
            Map.entry("h100-timesformer", 0.0),
            Map.entry("mi210-gpu-only", 7.0),
            Map.entry("mi250-minitoy", 2.0),
            Map.entry("mi300-qwen1.5", 0.1),
            Map.entry("mi300-sglang-decode-graph", 0.0),
            Map.entry("mi300-sglang-prefilldecode", 0.0),
            Map.entry("mi300-torch-compile-triton", 0.0),
            Map.entry("mtia-inference", 45.0),
            Map.entry("old-spelling", 10.0),
            Map.entry("triton-example", 99.99),
            Map.entry("v100-ns-resolution", 0.0),
            Map.entry("vllm-decode-graph", 0.0));

    @Test
    void theUnattributedShareOfEveryTraceStaysUnderItsCeiling() throws Exception {
        List<String> above = new ArrayList<>();
        for (Path trace : SharedTraces.kineto()) {
            String name = trace.getFileName().toString().replace(".json.gz", "");
            Ledger ledger = analyze(name).ledgers().get(0);
            double percent = 100.0 * ledger.ns(LedgerClass.UNATTRIBUTED) / Math.max(1, ledger.durationNs());
            double ceiling = UNATTRIBUTED_CEILINGS.getOrDefault(name, 0.0);
            if (percent > ceiling) {
                above.add(name + ": " + percent + " % unattributed, at most " + ceiling + " % allowed");
            }
        }

        assertThat(above).isEmpty();
    }

    /** Read off the traces: the window begins when start_trace returns and ends when stop_trace is called. */
    @ParameterizedTest
    @CsvSource({
        "h100-bert-small,      587948,   3907825,   75824",
        "h100-timesformer,  218204135, 159992427, 4448548",
    })
    void headSpanAndTailOfTheWindowAreThoseOfTheTrace(String name, long headNs, long spanNs, long tailNs)
            throws Exception {
        Report report = analyze(name);

        assertThat(durationNs(report, "head")).isEqualTo(headNs);
        assertThat(durationNs(report, "span")).isEqualTo(spanNs);
        assertThat(durationNs(report, "tail")).isEqualTo(tailNs);
        assertThat(report.window().durationNs()).isEqualTo(headNs + spanNs + tailNs);
        assertThat(report.rows(Report.DEVICES).get(0).firstNs())
                .isEqualTo(report.window().startNs() + headNs);
        assertThat(report.rows(Report.DEVICES).get(0).lastNs())
                .isEqualTo(report.window().endNs() - tailNs);
    }

    private static long durationNs(Report report, String part) {
        List<Ledger> found = report.ledgers().stream()
                .filter(l -> l.subject().equals("device 0") && l.part().id().equals(part))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0).durationNs();
    }

    private static Report analyze(String name) throws Exception {
        return RealTraces.report(name);
    }
}

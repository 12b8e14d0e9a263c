package io.inferscope.shapes.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShapeSummaryTest {
    @TempDir
    private Path folder;

    @Test
    void readsTheEightFields() throws IOException {
        Files.writeString(folder.resolve("s_summary.json"), """
                {"rank": 3, "total_operations": 1234, "forward_passes": 2, "unique_operations": 45,
                 "operation_counts": {"aten.mm.default": 100, "aten.add.Tensor": 50},
                 "dedupe_enabled": true, "dedupe_skipped_count": 49000, "unique_op_signatures": 1000, "later": [1]}
                """);
        ShapeSummary summary = ShapeSummary.beside(folder.resolve("s.jsonl.gz"));

        assertThat(summary).isNotNull();
        assertThat(summary.rank()).isEqualTo(3);
        assertThat(summary.totalOperations()).isEqualTo(1234);
        assertThat(summary.forwardPasses()).isEqualTo(2);
        assertThat(summary.uniqueOperations()).isEqualTo(45);
        assertThat(summary.operationCounts())
                .containsEntry("aten.mm.default", 100L)
                .hasSize(2);
        assertThat(summary.deduped()).isTrue();
        assertThat(summary.dedupeSkipped()).isEqualTo(49000);
        assertThat(summary.uniqueSignatures()).isEqualTo(1000);
        assertThat(summary.problem()).isEmpty();
        assertThat(summary.ending()).isEqualTo(new ShapeSummary.Ending(true, 0, Map.of(), ""));
    }

    @Test
    void whatIsMissingOrDamagedIsSaid() throws IOException {
        assertThat(ShapeSummary.beside(folder.resolve("none.jsonl"))).isNull();
        Files.writeString(folder.resolve("cut_summary.json"), "{\"rank\": 1, \"operation_counts\": {\"a\"");
        ShapeSummary cut = ShapeSummary.beside(folder.resolve("cut.jsonl"));
        assertThat(cut).isNotNull();
        assertThat(cut.rank()).isEqualTo(1);
        assertThat(cut.totalOperations()).isEqualTo(-1);
        assertThat(cut.problem()).startsWith("not valid JSON");
    }
}

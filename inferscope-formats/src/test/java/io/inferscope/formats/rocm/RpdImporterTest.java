package io.inferscope.formats.rocm;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("traces")
class RpdImporterTest {
    @TempDir
    Path folder;

    /** The numbers are those of SQL queries over the database: operations by type, calls by name, pairs in rocpd_api_ops. */
    @Test
    void everyOperationAndCallOfARealRecordingIsRead() throws Exception {
        Path file = folder.resolve("vllm-fp8.rpd");
        try (InputStream in = new GZIPInputStream(
                Files.newInputStream(SharedTraces.folder().resolve("more").resolve("vllm-fp8.rpd.gz")))) {
            Files.copy(in, file);
        }

        Timeline timeline = Formats.importers().load(file);

        Map<RowKind, Integer> counts = new EnumMap<>(RowKind.class);
        long kernelNs = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            counts.merge(timeline.kind(row), 1, Integer::sum);
            kernelNs += timeline.kind(row) == RowKind.KERNEL ? timeline.durationNs(row) : 0;
        }
        assertThat(timeline.info().format()).isEqualTo("rpd");
        assertThat(counts)
                .containsEntry(RowKind.KERNEL, 1228 + 7720)
                .containsEntry(RowKind.MEMCPY_H2D, 350)
                .containsEntry(RowKind.MEMCPY_D2H, 22)
                .containsEntry(RowKind.MEMCPY_D2D, 804)
                .containsEntry(RowKind.GRAPH_LAUNCH, 20)
                .containsEntry(RowKind.OPERATOR, 11_816)
                .containsEntry(RowKind.PROFILER_OVERHEAD, 4 + 1 + 1 + 1 + 3 + 10 + 1)
                .containsEntry(RowKind.ANNOTATION, 11_884 - 11_816 + 1);
        assertThat(kernelNs).isEqualTo(316_231_882L + 90_905_793L);
        Map<LinkKind, Integer> links = new EnumMap<>(LinkKind.class);
        for (int link = 0; link < timeline.links().count(); link++) {
            links.merge(timeline.links().kind(link), 1, Integer::sum);
        }
        assertThat(links).containsEntry(LinkKind.LAUNCH, 1764).containsEntry(LinkKind.GRAPH_REPLAY, 8360);
        assertThat(timeline.importStats().damage()).isEmpty();
    }
}

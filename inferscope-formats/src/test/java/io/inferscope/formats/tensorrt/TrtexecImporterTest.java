package io.inferscope.formats.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Documents as the writers of TensorRT's samples lay them out; the figures are made up. */
public class TrtexecImporterTest {
    public static final String TIMES = """
            [
              { "startEnqMs" : 0.02, "endEnqMs" : 0.5, "startH2dMs" : 0.01, "endH2dMs" : 0.11, "startComputeMs" : 0.12, "endComputeMs" : 2.12, "startD2hMs" : 2.13, "endD2hMs" : 2.13, "h2dMs" : 0.1, "computeMs" : 2, "d2hMs" : 0, "latencyMs" : 2.1, "endToEndMs" : 2.12 }
            , { "startEnqMs" : 1234.56, "endEnqMs" : 1234.7, "startH2dMs" : 1234.5, "endH2dMs" : 1234.51, "startComputeMs" : 1234.6, "endComputeMs" : 1236.6, "startD2hMs" : 1236.7, "endD2hMs" : 1236.8, "h2dMs" : 0.01, "computeMs" : 2, "d2hMs" : 0.1, "latencyMs" : 2.11 }
            ]
            """;
    public static final String PROFILE = """
            [
              { "count" : 100 }
            , { "name" : "conv1 + relu1", "timeMs" : 200.5, "averageMs" : 2.005, "medianMs" : 2, "percentage" : 80 }
            , { "name" : "Reformatting CopyNode for Input Tensor 0 to fc", "timeMs" : 0, "averageMs" : 0, "medianMs" : 0, "percentage" : 0 }
            , { "name" : "fc", "timeMs" : 50, "averageMs" : 0.5, "percentage" : 20 }
            ]
            """;

    @TempDir
    private Path folder;

    private Timeline load(String text) throws ImportException {
        return Formats.importers().load(TraceFile.of(folder, "export.json", text));
    }

    @Test
    void anInferenceIsAnEnqueueCopiesAndOneBlockOfCompute() throws ImportException {
        Timeline timeline = load(TIMES);

        assertThat(timeline.info().format()).isEqualTo("trtexec");
        assertThat(rows(timeline))
                .containsExactly(
                        "RUNTIME_CALL main [20000,500000) enqueue",
                        "RUNTIME_CALL main [1234560000,1234700000) enqueue",
                        "KERNEL compute [120000,2120000) inference",
                        "KERNEL compute [1234600000,1236600000) inference",
                        "MEMCPY_H2D input [10000,110000) input copy",
                        "MEMCPY_H2D input [1234500000,1234510000) input copy",
                        "MEMCPY_D2H output [1236700000,1236800000) output copy");
        assertThat(timeline.links().count()).isEqualTo(3);
        assertThat(timeline.instantsAreRecorded()).isTrue();
        assertThat(timeline.info().clockDomains().get(0).errorBoundNs()).isEqualTo(5_000);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "999999, 0", "1000000, 5", "12345600, 50", "1236800000, 5000"})
    void aStampIsKnownToHalfItsSixthDigit(long stampNs, long errorBoundNs) {
        assertThat(TrtexecTimes.errorBoundNs(stampNs)).isEqualTo(errorBoundNs);
    }

    @Test
    void theSpellingOfOldVersionsIsUnderstood() throws ImportException {
        Timeline timeline = load("""
                [ { "startInMs" : 0, "endInMs" : 1, "startComputeMs" : 1, "endComputeMs" : 3, "startOutMs" : 3, "endOutMs" : 4 } ]
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "KERNEL compute [1000000,3000000) inference",
                        "MEMCPY_H2D input [0,1000000) input copy",
                        "MEMCPY_D2H output [3000000,4000000) output copy");
    }

    @Test
    void layersAreLaidOutAsOneAverageInferenceAndTheTimelineSaysSo() throws ImportException {
        Timeline timeline = load(PROFILE);

        assertThat(rows(timeline))
                .containsExactly(
                        "KERNEL layers [0,2005000) conv1 + relu1 DETAIL=200.5 ms in all, median 2 ms, 80 %",
                        "KERNEL layers [2005000,2505000) fc DETAIL=50 ms in all, 20 %",
                        "KERNEL layers [2005000,2005000) Reformatting CopyNode for Input Tensor 0 to fc"
                                + " DETAIL=0 ms in all, median 0 ms, 0 %");
        assertThat(timeline.instantsAreRecorded()).isFalse();
        assertThat(timeline.properties()).containsEntry("trtexec.inferences", "100");
    }

    @Test
    void damagedRecordsAreCountedAndTheOthersUsed() throws ImportException {
        Timeline timeline = load("""
                [ { "startComputeMs" : 0, "endComputeMs" : 3 }, 7,
                { "startComputeMs" : 5, "endComputeMs" : 4 },
                { "startComputeMs" : "x", "endComputeMs" : 4 },
                { "startComputeMs" : 9, "endCompu""");

        assertThat(timeline.rowCount()).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.NOT_AN_EVENT)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.NEGATIVE_SPAN)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isEqualTo(1);
    }

    @Test
    void aFileWithoutAnyUsableRecordIsRefusedInOneLine() {
        assertThatThrownBy(() -> load("[{\"startComputeMs\":9,\"endComputeMs\":null}]"))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("export.json: no usable record in it (1 x timestamp missing");
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }
}

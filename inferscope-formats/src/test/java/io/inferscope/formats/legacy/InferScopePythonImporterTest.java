package io.inferscope.formats.legacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents by schema 1.0 of the earlier InferScope, and as it really wrote them. */
class InferScopePythonImporterTest {
    private static final String BY_SCHEMA = """
            {"format_version": "1.0",
             "trace_metadata": {"timestamp_created": "2025-01-02T03:04:05Z", "duration_ms": 12.5, "cuda_version": "12.4",
               "torch_version": "2.3", "gpu_model": "H100", "hostname": "secret-host"},
             "system_info": {"cpu_count": 8},
             "events": [
              {"id": 1, "type": "cpu_call", "name": "tokenize", "timestamp_start_us": 0.5, "timestamp_end_us": 40,
               "metadata": {"thread_id": 7, "call_depth": 1}},
              {"id": 2, "type": "h2d_copy", "name": "input", "timestamp_start_us": 50, "timestamp_end_us": 60, "duration_us": 10,
               "metadata": {"bytes": 4096, "kind": "pageable", "throughput_gbps": 0.4}},
              {"id": 3, "type": "gpu_kernel", "name": "gemm", "timestamp_start_us": 60, "timestamp_end_us": 90,
               "metadata": {"device_id": 0, "stream_id": 7, "grid_dim": [1, 1, 1]}},
              {"id": 4, "type": "d2h_copy", "name": "logits", "timestamp_us": 90, "duration_us": 2, "bytes": 64,
               "metadata": {"kind": "pinned"}},
              {"id": 5, "type": "instant", "name": "token", "timestamp_us": 95},
              {"id": 6, "type": "memory_event", "name": "alloc", "timestamp_us": 96, "metadata": {"allocations_bytes": 1024}}],
             "relationships": {"scopes": []}}
            """;

    @TempDir
    private Path folder;

    @Test
    void everyKindOfEventOfTheSchemaBecomesARow() throws Exception {
        Timeline timeline = load(BY_SCHEMA);

        assertThat(timeline.info().format()).isEqualTo("inferscope-python");
        assertThat(rows(timeline))
                .containsExactlyInAnyOrder(
                        "PYTHON_FUNCTION 7 [500,40000) tokenize",
                        "MEMCPY_H2D 0 [50000,60000) input SIZE_BYTES=4096 MEMORY_KINDS=Pageable -> Device",
                        "KERNEL 7 [60000,90000) gemm",
                        "MEMCPY_D2H 0 [90000,92000) logits SIZE_BYTES=64 MEMORY_KINDS=Device -> Pinned",
                        "INSTANT main [95000,95000) token",
                        "COUNTER memory, bytes [96000,96000) memory, bytes COUNTER_VALUE="
                                + Double.doubleToRawLongBits(1024));
        assertThat(timeline.properties())
                .containsEntry("device.0.name", "H100")
                .containsEntry("duration_ms", "12.5")
                .doesNotContainValue("secret-host");
        assertThat(timeline.info().coverage())
                .singleElement()
                .satisfies(c -> assertThat(c.why()).contains("gaps between synchronisations"));
        assertThat(timeline.importStats().damage()).isEmpty();
    }

    @Test
    void callsAreClosedByTheReturnThatFollowsAndScopesByTheirExit() throws Exception {
        Timeline timeline = load("""
                [{"type":"scope_enter","name":"llm_inference","timestamp_us":0,"thread_id":1},
                 {"type":"cpu_call","name":"f","filename":"a.py","lineno":3,"timestamp_start_us":1,"timestamp_end_us":1,"thread_id":1},
                 {"type":"cpu_call","name":"g","filename":"a.py","lineno":9,"timestamp_start_us":2,"timestamp_end_us":2,"thread_id":1},
                 {"type":"cpu_return","timestamp_us":5,"thread_id":1,"return_type":"int"},
                 {"type":"cpu_return","timestamp_us":8,"thread_id":1,"return_type":"int"},
                 {"type":"scope_exit","name":"llm_inference","timestamp_us":10,"thread_id":1},
                 {"type":"cpu_return","timestamp_us":11,"thread_id":1},
                 {"type":"cpu_call","name":"never","timestamp_start_us":12,"timestamp_end_us":12,"thread_id":1}]""");

        assertThat(rows(timeline))
                .containsExactly(
                        "ANNOTATION 1 [0,10000) llm_inference USER_SCOPE=1",
                        "PYTHON_FUNCTION 1 [1000,8000) a.py(3): f",
                        "PYTHON_FUNCTION 1 [2000,5000) a.py(9): g");
        assertThat(timeline.importStats().count(Reason.UNMATCHED_END)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.MISSING_DURATION)).isEqualTo(1);
    }

    @Test
    void mergedTimelinesAreOnTheirGlobalClock() throws Exception {
        Timeline timeline = load("""
                {"timeline":[{"type":"gpu_kernel","name":"k","timestamp_us":5,"duration_us":3,"global_ts_us":105,"sync_error_us":50}]}""");

        assertThat(rows(timeline)).containsExactly("KERNEL 0 [105000,108000) k");
    }

    @Test
    void eventsThatCannotBeUsedAreCounted() throws Exception {
        Timeline timeline = load("""
                {"events":[{"type":"instant","name":"a","timestamp_us":1},{"type":"gpu_kernel","name":"k","timestamp_us":1},
                {"type":"gpu_kernel","name":"k","timestamp_us":1,"duration_us":-4},{"type":"instant","timestamp_us":"NaN"},
                {"type":"warp","timestamp_us":3},7]}""");

        assertThat(timeline.importStats().count(Reason.MISSING_DURATION)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.NEGATIVE_SPAN)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.UNKNOWN_PHASE)).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.NOT_AN_EVENT)).isEqualTo(1);
    }

    @Test
    void aReportIsToldFromATrace() {
        assertThatThrownBy(() -> load("{\"analysis_version\":\"1.0\",\"bottleneck\":{\"type\":\"cpu_bound\"}}"))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("is a report of the earlier InferScope, not a trace");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void mutatedDocumentsAreUsedOrRefused(long seed) throws Exception {
        Random random = new Random(seed);
        byte[] whole = BY_SCHEMA.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < Seeds.of(500, 8); i++) {
            byte[] mutated =
                    Arrays.copyOf(whole, random.nextInt(3) == 0 ? 1 + random.nextInt(whole.length) : whole.length);
            for (int flips = random.nextInt(8); flips >= 0; flips--) {
                mutated[random.nextInt(mutated.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                Timeline timeline = Formats.importers().load(TraceFile.of(folder, "fuzzed.json", mutated));
                assertThat(timeline.rowCount()).isPositive();
            } catch (ImportException refused) {
                assertThat(refused.getMessage()).contains("fuzzed.json: ").doesNotContain("\n");
            }
        }
    }

    private Timeline load(String document) throws Exception {
        return Formats.importers().load(TraceFile.of(folder, "trace.json", document));
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }
}

package io.inferscope.formats.rocm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocprofImporterTest {
    private static final String NAMES = """
            "metadata": {"node": {"hostname": "secret-host"}, "pid": 42, "init_time": 1, "command": ["--token", "secret"],
              "environment": {"KEY": "secret"}},
            "agents": [{"id": {"handle": 100}, "type": 1, "logical_node_type_id": 0, "name": "cpu"},
              {"id": {"handle": 101}, "type": 2, "logical_node_type_id": 0, "name": "gfx942", "product_name": "MI300X", "caches": [{"level": 1}]},
              {"id": {"handle": 102}, "type": 2, "logical_node_type_id": 1, "name": "gfx942", "product_name": ""}],
            "strings": {"buffer_records": [{"kind": "NONE", "operations": []},
              {"kind": "HIP_RUNTIME_API", "operations": ["hipLaunchKernel", "hipGraphLaunch", "hipMemcpy_spt", "hipStreamSynchronize"]},
              {"kind": "MARKER_CORE_API", "operations": ["roctxMarkA", "roctxRangePushA", "roctxGetThreadId"]},
              {"kind": "MEMORY_COPY", "operations": ["NONE"]}, {"kind": "RCCL_API", "operations": ["ncclAllReduce"]},
              {"kind": "MEMORY_ALLOCATION", "operations": ["NONE", "MEMORY_ALLOCATION_ALLOCATE"]}],
              "marker_api": [{"key": 50, "value": "step"}, {"key": 51, "value": "here"}], "counters": {"dimension_ids": [1]}},
            "kernel_symbols": [{"kernel_id": 8, "kernel_name": "_Z4gemmv.kd", "formatted_kernel_name": "gemm()", "kernel_address": {"handle": 1}},
              {"kernel_id": 9, "kernel_name": "raw.kd", "formatted_kernel_name": ""}]
            """;
    private static final String RECORDS = """
            "buffer_records": {
              "hip_api": [%s, %s, %s, %s],
              "kernel_dispatch": [%s, %s, %s],
              "memory_copy": [
                {"kind": 3, "operation": 0, "thread_id": 7, "correlation_id": {"internal": 3}, "start_timestamp": 300, "end_timestamp": 380,
                 "src_agent_id": {"handle": 100}, "dst_agent_id": {"handle": 101}, "bytes": 4096, "dst_address": {"value": 18446744073709551615}, "stream_id": {"handle": 2}},
                {"kind": 3, "start_timestamp": 400, "end_timestamp": 410, "src_agent_id": {"handle": 101}, "dst_agent_id": {"handle": 102}},
                {"kind": 3, "start_timestamp": 400, "end_timestamp": 410, "src_agent_id": {"handle": 100}, "dst_agent_id": {"handle": 100}}],
              "memory_allocation": [{"kind": 5, "operation": 1, "thread_id": 7, "start_timestamp": 600, "end_timestamp": 640, "allocation_size": 64,
                 "agent_id": {"handle": 101}}],
              "rccl_api": [{"kind": 4, "operation": 0, "thread_id": 7, "start_timestamp": 700, "end_timestamp": 710}],
              "marker_api": [
                {"kind": 2, "operation": 1, "thread_id": 7, "correlation_id": {"internal": 50}, "start_timestamp": 90, "end_timestamp": 800},
                {"kind": 2, "operation": 0, "thread_id": 7, "correlation_id": {"internal": 51}, "start_timestamp": 95, "end_timestamp": 96},
                {"kind": 2, "operation": 2, "thread_id": 7, "correlation_id": {"internal": 52}, "start_timestamp": 97, "end_timestamp": 98}],
              "scratch_memory": [{"kind": 9, "start_timestamp": 1, "end_timestamp": 2}],
              "pc_sample_host_trap": [17]}
            """.formatted(
                    call(0, 1, 100, 120),
                    call(1, 2, 200, 220),
                    call(2, 3, 290, 390),
                    call(3, 4, 500, 590),
                    kernel(8, 101, 2, 1, 150, 250),
                    kernel(9, 101, 0, 2, 260, 270),
                    kernel(77, 102, 2, 2, 260, 280));

    @TempDir
    private Path folder;

    private static String call(int operation, int correlation, int startNs, int endNs) {
        return """
                {"size": 48, "kind": 1, "operation": %d, "thread_id": 7, "correlation_id": {"internal": %d, "external": 9, "ancestor": 0},
                 "start_timestamp": %d, "end_timestamp": %d, "args": {"kind": 5, "bytes": 5}}""".formatted(operation, correlation, startNs, endNs);
    }

    private static String kernel(int id, int agent, int stream, int correlation, int startNs, int endNs) {
        return """
                {"size": 184, "kind": 11, "operation": 2, "thread_id": 7, "correlation_id": {"internal": %d, "external": 0},
                 "start_timestamp": %d, "end_timestamp": %d, "dispatch_info": {"agent_id": {"handle": %d}, "queue_id": {"handle": 16},
                 "kernel_id": %d, "grid_size": {"x": 5, "y": 1, "z": 1}}, "stream_id": {"handle": %d}}""".formatted(correlation, startNs, endNs, agent, id, stream);
    }

    private static String document(String... members) {
        return "{\"rocprofiler-sdk-tool\": [{" + String.join(",", members) + "}]}";
    }

    private Timeline load(String json) throws ImportException {
        return Formats.importers().load(TraceFile.of(folder, "results.json", json.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> rows(Timeline timeline, RowKind kind) {
        return rowsOf(timeline, kind)
                .mapToObj(r -> timeline.name(r) + " " + timeline.startNs(r) + "-" + timeline.endNs(r))
                .toList();
    }

    private static IntStream rowsOf(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount()).filter(r -> timeline.kind(r) == kind);
    }

    @Test
    void kernelsAreNamedAndLieOnTheirStreamAndDevice() throws ImportException {
        Timeline timeline = load(document(NAMES, RECORDS));
        assertThat(timeline.info().format()).isEqualTo("rocprofv3");
        assertThat(rows(timeline, RowKind.KERNEL))
                .containsExactlyInAnyOrder("gemm() 150-250", "raw.kd 260-270", "kernel 77 260-280");
        assertThat(timeline.tracks().stream().map(t -> t.kind() + " " + t.key() + " " + t.name()))
                .containsExactlyInAnyOrder(
                        "PROCESS 42 42",
                        "THREAD 7 7",
                        "DEVICE 0 0",
                        "STREAM 42/2 stream 2",
                        "STREAM 42.queue16/0 queue 16",
                        "STREAM 42/0 stream 0",
                        "DEVICE 1 1",
                        "STREAM 42/2 stream 2");
        assertThat(timeline.properties())
                .containsEntry("device.0.name", "MI300X")
                .containsEntry("device.1.name", "gfx942");
    }

    @Test
    void callsOwnWhatTheyLaunched() throws ImportException {
        Timeline timeline = load(document(NAMES, RECORDS));
        assertThat(rowsOf(timeline, RowKind.KERNEL)
                        .mapToObj(r -> timeline.name(timeline.links().launchOf(r))))
                .containsExactlyInAnyOrder("hipLaunchKernel", "hipGraphLaunch", "hipGraphLaunch");
        int copy = rowsOf(timeline, RowKind.MEMCPY_H2D).findFirst().orElseThrow();
        assertThat(timeline.name(timeline.links().launchOf(copy))).isEqualTo("hipMemcpy");
        assertThat(timeline.attribute(copy, Attribute.SIZE_BYTES)).isEqualTo(4096);
    }

    @Test
    void copiesAllocationsMarksAndCollectivesHaveTheirKinds() throws ImportException {
        Timeline timeline = load(document(NAMES, RECORDS));
        assertThat(rows(timeline, RowKind.MEMCPY_P2P)).containsExactly("Memcpy PtoP 400-410");
        assertThat(rows(timeline, RowKind.DRIVER_CALL)).containsExactly("MEMORY_ALLOCATION_ALLOCATE 600-640");
        assertThat(rows(timeline, RowKind.OPERATOR)).containsExactly("ncclAllReduce 700-710");
        assertThat(rows(timeline, RowKind.ANNOTATION)).containsExactly("step 90-800");
        assertThat(rows(timeline, RowKind.INSTANT)).containsExactly("here 95-95");
        // A copy between hosts, a roctx call that is neither mark nor range, scratch memory.
        assertThat(timeline.importStats().count(Reason.NOT_USED)).isEqualTo(3);
        assertThat(timeline.importStats().count(Reason.NOT_AN_EVENT)).isEqualTo(1);
    }

    @Test
    void recordsBeforeTheirNamesAreReadTheSecondTime() throws ImportException {
        Timeline first = load(document(NAMES, RECORDS));
        Timeline second = load(document(RECORDS, NAMES));
        for (RowKind kind : RowKind.values()) {
            assertThat(rows(second, kind)).isEqualTo(rows(first, kind));
        }
        assertThat(second.importStats().eventsRead())
                .isEqualTo(first.importStats().eventsRead());
        assertThat(second.links().count()).isEqualTo(first.links().count());
    }

    @Test
    void tablesMayBeMissing() throws ImportException {
        Timeline timeline = load(document(RECORDS));
        assertThat(rows(timeline, RowKind.KERNEL)).contains("kernel 8 150-250");
    }

    @Test
    void nothingOfTheEnvironmentIsKept() throws ImportException {
        assertThat(load(document(NAMES, RECORDS)).properties().toString()).doesNotContain("secret");
    }

    @Test
    void aCutDocumentYieldsWhatCameBefore() throws ImportException {
        String whole = document(NAMES, RECORDS);
        Timeline timeline = load(whole.substring(0, whole.indexOf("memory_copy\": [") + 40));
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(3);
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isEqualTo(1);
    }

    @Test
    void mutatedDocumentsAreReadOrRefused() {
        byte[] whole = document(NAMES, RECORDS).getBytes(StandardCharsets.UTF_8);
        Random random = new Random(11);
        for (int i = 0; i < 400; i++) {
            byte[] mutated =
                    random.nextInt(4) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            for (int flips = random.nextInt(5); flips > 0 && mutated.length > 0; flips--) {
                mutated[random.nextInt(mutated.length)] = (byte) "{}[],:\"-9e\\\u0000x".charAt(random.nextInt(13));
            }
            try {
                assertThat(Formats.importers()
                                .load(TraceFile.of(folder, "fuzzed.json", mutated))
                                .rowCount())
                        .isPositive();
            } catch (ImportException refused) {
                assertThat(refused.getMessage()).contains("fuzzed.json: ").doesNotContain("\n");
            }
        }
    }

    @Test
    void aDocumentWithoutRecordsSaysHowToRecordThem() {
        assertThatThrownBy(() -> load(document(NAMES)))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("--runtime-trace");
    }

    /** Counts and unions by a script over the parsed document. */
    @Tag("traces")
    @Test
    void aRealTraceOfATrainingAgreesWithItsRecords() throws ImportException {
        Timeline timeline = Formats.importers().load(SharedTraces.other("rocprofv3-908_results.json.gz"));
        Intervals.Builder busy = new Intervals.Builder(16);
        rowsOf(timeline, RowKind.KERNEL).forEach(r -> busy.add(timeline.startNs(r), timeline.endNs(r)));
        assertThat(rowsOf(timeline, RowKind.KERNEL).count()).isEqualTo(43_915);
        assertThat(busy.build().totalNs()).isEqualTo(4_233_112_334L);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
        assertThat(timeline.properties()).containsEntry("device.0.name", "AMD Instinct MI350X");
    }
}

package io.inferscope.formats.nsys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.formats.sqlite.SqliteFixture;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NsysImporterTest {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void writeExport() {
        file = SqliteFixture.write(folder.resolve("a b#?%41.sqlite"), NsysFixture.EXPORT);
    }

    private static Timeline load(Path file) throws ImportException {
        return Formats.importers().load(file);
    }

    /** {@code name start-end} of every row of a kind, in the timeline's order. */
    private static List<String> rows(Timeline timeline, RowKind kind) {
        return rowsOf(timeline, kind)
                .mapToObj(r -> timeline.name(r) + " " + timeline.startNs(r) + "-" + timeline.endNs(r))
                .toList();
    }

    private static IntStream rowsOf(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount()).filter(r -> timeline.kind(r) == kind);
    }

    private static int only(Timeline timeline, RowKind kind) {
        int[] rows = rowsOf(timeline, kind).toArray();
        assertThat(rows).hasSize(1);
        return rows[0];
    }

    private static String device(Timeline timeline, int row) {
        return timeline.tracks()
                .get(timeline.tracks().get(timeline.track(row)).parent())
                .key();
    }

    @Test
    void kernelsAreNamedInFullAndLieOnTheirOwnGpu() throws ImportException {
        Timeline timeline = load(file);
        assertThat(timeline.info().format()).isEqualTo("nsys");
        assertThat(rows(timeline, RowKind.KERNEL))
                .containsExactly(
                        "gemm<float>(int) 1500-1900",
                        "gemm<float>(int) 3500-3600",
                        "gemm<float>(int) 3600-3700",
                        "CUDA graph 12 (recorded as a whole) 5000-6000",
                        "gemm 1600-1700");
        assertThat(rowsOf(timeline, RowKind.KERNEL).mapToObj(r -> device(timeline, r)))
                .containsExactly("0", "0", "0", "0", "3");
        assertThat(timeline.properties())
                .containsEntry("device.0.name", "GPU A")
                .containsEntry("device.3.name", "GPU D");
        assertThat(timeline.info().coverage())
                .singleElement()
                .satisfies(c -> assertThat(c.why()).contains("--cuda-graph-trace=node"));
    }

    @Test
    void launchesAreJoinedPerProcessAndGraphsOwnTheirReplays() throws ImportException {
        Timeline timeline = load(file);
        assertThat(rowsOf(timeline, RowKind.KERNEL)
                        .map(timeline.links()::launchOf)
                        .mapToObj(call -> call < 0
                                ? "none"
                                : timeline.kind(call) + " "
                                        + timeline.tracks()
                                                .get(timeline.track(call))
                                                .key()))
                .containsExactly("RUNTIME_CALL 11", "GRAPH_LAUNCH 11", "GRAPH_LAUNCH 11", "none", "DRIVER_CALL 20");
    }

    @Test
    void callsLoseTheVersionInTheirNames() throws ImportException {
        Timeline timeline = load(file);
        assertThat(rows(timeline, RowKind.RUNTIME_CALL))
                .containsExactly(
                        "cudaLaunchKernel 1000-1100", "cudaMemcpy 2000-2500", "cudaStreamSynchronize 4000-9000");
        assertThat(rows(timeline, RowKind.DRIVER_CALL)).containsExactly("cuLaunchKernel 1000-1200");
        assertThat(rows(timeline, RowKind.GRAPH_LAUNCH)).containsExactly("cudaGraphLaunch 3000-3100");
    }

    @Test
    void copiesFillsAndSynchronisationsKeepDirectionMemoryAndSize() throws ImportException {
        Timeline timeline = load(file);
        int copy = only(timeline, RowKind.MEMCPY_H2D);
        assertThat(timeline.name(copy)).isEqualTo("Memcpy HtoD (Pageable -> Device)");
        assertThat(timeline.attributeText(copy, Attribute.MEMORY_KINDS)).isEqualTo("Pageable -> Device");
        assertThat(timeline.attribute(copy, Attribute.SIZE_BYTES)).isEqualTo(4096);
        assertThat(rows(timeline, RowKind.MEMCPY_P2P)).containsExactly("Memcpy PtoP (Device -> Device) 2400-2450");
        assertThat(rows(timeline, RowKind.MEMCPY_D2H)).containsExactly("Memcpy DtoH (Device -> Managed) 2500-2600");
        assertThat(rows(timeline, RowKind.MEMSET)).containsExactly("Memset (Device) 2900-2950");
        assertThat(rows(timeline, RowKind.DEVICE_SYNC)).containsExactly("Stream sync 4100-8900");
    }

    @Test
    void nvtxRangesAreScopesAndThoseOfTorchAndLibrariesAreOperators() throws ImportException {
        Timeline timeline = load(file);
        assertThat(rows(timeline, RowKind.OPERATOR))
                .containsExactly("aten::mm 950-1300", "NCCL:ncclAllReduce 1000-1300");
        int operator = rowsOf(timeline, RowKind.OPERATOR).findFirst().orElseThrow();
        assertThat(timeline.attributeText(operator, Attribute.INPUT_DIMS)).isEqualTo("[[2, 3], [3, 4]]");
        assertThat(rows(timeline, RowKind.ANNOTATION))
                .containsExactly(
                        "step 900-3900", "Lazy Function Loading 1010-1050", "Forward 1310-1400", "request 3950-15000");
        assertThat(rows(timeline, RowKind.INSTANT)).containsExactly("mark 3960-3960");
        assertThat(timeline.importStats().count(Reason.UNCLOSED_BEGIN)).isEqualTo(1);
    }

    @Test
    void callsThatWaitAreStatesOfTheirThread() throws ImportException {
        Timeline timeline = load(file);
        assertThat(rowsOf(timeline, RowKind.THREAD_STATE)
                        .mapToObj(r ->
                                timeline.name(r) + " " + WaitReason.of(timeline.attribute(r, Attribute.WAIT_REASON))))
                .containsExactly("Command Buffer Full DRIVER", "poll SOCKET", "pthread_cond_wait FUTEX");
        assertThat(rows(timeline, RowKind.PROFILER_OVERHEAD)).containsExactly("Buffer flush 9100-9200");
    }

    /** A line from a file is there at once; a terminal or a pipe may keep a program waiting. */
    @Test
    void aLineThatTakesLongIsNotReadFromAFile() {
        assertThat(OsRuntimeCalls.waitReason("getc", 1_000_000)).isEqualTo(WaitReason.FILE_IO);
        assertThat(OsRuntimeCalls.waitReason("getc", 2_000_000_000)).isEqualTo(WaitReason.UNKNOWN);
        assertThat(OsRuntimeCalls.waitReason("fread", 2_000_000_000)).isEqualTo(WaitReason.FILE_IO);
        assertThat(OsRuntimeCalls.waitReason("mmap", 2_000_000_000)).isNull();
    }

    @Test
    void aDatabaseOfNvprofIsRefusedByName() {
        Path other = SqliteFixture.write(folder.resolve("a.nvvp"), """
                CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);
                CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start INTEGER, "end" INTEGER, name INTEGER);
                CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (cbid INTEGER, start INTEGER, "end" INTEGER, threadId INTEGER);
                INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (211, 5, 9, 7);
                """);

        assertThatThrownBy(() -> load(other)).hasMessageContaining("is a database of nvprof");
    }

    @Test
    void whatIsNotUsedOrWasLostIsCounted() throws ImportException {
        Timeline timeline = load(file);
        assertThat(timeline.importStats().count(Reason.RECORDER_DROPPED)).isEqualTo(17);
        // mmap, a poll inside another call, an NVTX category, two diagnostics without a known loss, two GPU metrics.
        assertThat(timeline.importStats().count(Reason.NOT_USED)).isEqualTo(7);
        assertThat(timeline.importStats().bytesRead()).isEqualTo(file.toFile().length());
    }

    @Test
    void theAxisIsTiedToUnixTimeByTheSessionsStart() throws ImportException {
        assertThat(load(file).originUnixNs()).isEqualTo(1_700_000_000_000_000_000L - 500);
    }

    @Test
    void tracksHaveTheNamesOfProcessesAndThreads() throws ImportException {
        assertThat(load(file).tracks().stream().map(t -> t.kind() + " " + t.key() + " " + t.name()))
                .containsExactlyInAnyOrder(
                        "PROCESS 10 python3",
                        "THREAD 11 worker",
                        "PROCESS 20 20",
                        "THREAD 20 20",
                        "DEVICE 0 0",
                        "STREAM 10.1/7 stream 7",
                        "DEVICE 3 3",
                        "STREAM 20.1/7 stream 7");
    }

    @Test
    void noSecretOfTheRecordingIsKept() throws ImportException {
        assertThat(load(file).properties().toString()).doesNotContain("secret");
    }

    @Test
    void nothingIsLeftBesideTheFileNorInTheTemporaryFolder() throws ImportException, IOException {
        byte[] before = Files.readAllBytes(file);
        load(file);
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        try (var files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThat(files.map(f -> f.getFileName().toString())).noneMatch(f -> f.startsWith("inferscope-sqlite"));
        }
    }

    @Test
    void anExportWithoutProcessesOrContextsIsJoinedByIdAlone() throws ImportException {
        Timeline timeline = load(SqliteFixture.write(folder.resolve("old.sqlite"), """
                CREATE TABLE StringIds (id INTEGER, value TEXT);
                INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'k');
                CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, "end" INT, deviceId INT, streamId INT, correlationId INT, shortName INT);
                INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 7, 5, 2);
                CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, "end" INT, correlationId INT, globalTid INT, nameId INT);
                INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (-3, 5, 5, 1, 1);
                """));
        int kernel = only(timeline, RowKind.KERNEL);
        assertThat(timeline.name(kernel)).isEqualTo("k");
        assertThat(timeline.name(timeline.links().launchOf(kernel))).isEqualTo("cudaLaunchKernel");
    }

    @Test
    void kernelsKeepTheShapeOfTheirLaunchAndDevicesTheirMultiprocessors() throws ImportException {
        Timeline timeline = load(SqliteFixture.write(folder.resolve("grid.sqlite"), """
                CREATE TABLE StringIds (id INTEGER, value TEXT);
                INSERT INTO StringIds VALUES (2, 'k');
                CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, "end" INT, deviceId INT, streamId INT, shortName INT, gridX INT,
                  gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
                INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 7, 2, 128, 96, 1, 64, 2, 1);
                CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INT);
                INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU A', 84);
                """));

        int kernel = only(timeline, RowKind.KERNEL);
        assertThat(timeline.attributeText(kernel, Attribute.DETAIL)).isEqualTo("grid 128x96x1, block 64x2x1");
        assertThat(timeline.attribute(kernel, Attribute.GRID_BLOCKS)).isEqualTo(128 * 96);
        assertThat(timeline.attribute(kernel, Attribute.BLOCK_THREADS)).isEqualTo(128);
        assertThat(timeline.properties()).containsEntry("device.0.sms", "84");
    }

    @Test
    void gpusOfAnExportWithRangesAloneAreNotKnownToBeIdle() throws ImportException {
        String ranges = """
                CREATE TABLE StringIds (id INTEGER, value TEXT);
                CREATE TABLE NVTX_EVENTS (start INT, "end" INT, eventType INT, text TEXT, globalTid INT);
                INSERT INTO NVTX_EVENTS VALUES (10, 20, 59, 'backbone', 11);
                CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT);
                INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU A'), (1, 'GPU A'), (2, 'GPU B');
                """;
        assertThat(load(SqliteFixture.write(folder.resolve("nvtx.sqlite"), ranges))
                        .properties())
                .containsEntry(TimelineInfo.UNTRACED, "GPU A, GPU B");
        assertThat(load(SqliteFixture.write(
                                folder.resolve("traced.sqlite"),
                                ranges + "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT);"))
                        .properties())
                .doesNotContainKey(TimelineInfo.UNTRACED);
    }

    @Test
    void valuesOfTheWrongTypeAreCountedNotUsed() throws ImportException {
        Timeline timeline = load(SqliteFixture.write(folder.resolve("types.sqlite"), """
                CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, correlationId, shortName);
                INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 7, 5, 'x'), ('soon', 20, 0, 7, 5, 2), (x'00ff', 20, 0, 7, 5, 2),
                  (NULL, 20, 0, 7, 5, 2), (30, 20, 0, 7, 5, 2), (1, 9e99, 0, 7, 5, 2), (1, 2, 'zero', NULL, 5.5, 2);
                """));
        assertThat(rowsOf(timeline, RowKind.KERNEL).count()).isEqualTo(2);
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(4);
        assertThat(timeline.importStats().count(Reason.NEGATIVE_SPAN)).isEqualTo(1);
    }

    @Test
    void viewsAreNeverRead() {
        Path hostile = SqliteFixture.write(folder.resolve("view.sqlite"), """
                CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
                CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
                  SELECT x AS start, x + 1 AS "end", 0 AS deviceId, 0 AS streamId FROM c;
                """);
        assertThatThrownBy(() -> load(hostile))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("view.sqlite: no usable event in it");
    }

    @Test
    void rowsBeforeAndBehindADamagedPageAreUsed() throws ImportException, IOException {
        Path damaged = SqliteFixture.write(folder.resolve("damaged.sqlite"), """
                CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "end" INTEGER, deviceId INTEGER, streamId INTEGER);
                WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 10000)
                  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT x * 10, x * 10 + 5, 0, 7 FROM c;
                """);
        byte[] content = Files.readAllBytes(damaged);
        int page = content.length / 4096 / 2;
        java.util.Arrays.fill(content, page * 4096, (page + 1) * 4096, (byte) 0x5a);
        Files.write(damaged, content);
        Timeline timeline = load(damaged);
        assertThat(timeline.rowCount()).isBetween(9500, 9999);
        assertThat(timeline.startNs(0)).isEqualTo(10);
        assertThat(timeline.startNs(timeline.rowCount() - 1)).isEqualTo(100_000);
        assertThat(timeline.importStats().count(Reason.MALFORMED)).isEqualTo(1);
    }

    @Test
    void aDatabaseInsideGzipIsRefusedWithTheRemedy() throws IOException {
        Path zipped = TraceFile.of(folder, "a.sqlite.gz", TraceFile.gzip(Files.readAllBytes(file)));
        assertThatThrownBy(() -> load(zipped))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("gunzip");
    }

    @Test
    void aForeignDatabaseIsNoTrace() {
        Path foreign = SqliteFixture.write(
                folder.resolve("books.sqlite"), "CREATE TABLE books (title TEXT, start INTEGER);\n");
        assertThatThrownBy(() -> load(foreign))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("not a trace of a known format");
    }

    @Test
    void samplesStandForTheTimeUpToTheNextOne() throws ImportException {
        Timeline timeline = load(SqliteFixture.write(folder.resolve("samples.sqlite"), """
                CREATE TABLE StringIds (id INTEGER, value TEXT);
                INSERT INTO StringIds VALUES (1, 'sample'), (2, 'main'), (3, '/usr/bin/server'), (4, 'mutex');
                CREATE TABLE OSRT_API (start INT, "end" INT, globalTid INT, nameId INT);
                CREATE TABLE SAMPLING_CALLCHAINS (id INT, symbol INT, module INT, stackDepth INT);
                INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 1, 3, 0), (1, 2, 3, 1), (2, 2, 3, 0), (3, 4, 9, 0);
                CREATE TABLE COMPOSITE_EVENTS (id INT, start INT, globalTid INT);
                INSERT INTO COMPOSITE_EVENTS VALUES (1, 1000000, 167772171), (2, 1500000, 167772171), (3, 9000000, 167772171), (4, 9500000, 167772171);
                """));

        assertThat(rows(timeline, RowKind.STACK_SAMPLE))
                .containsExactly(
                        "sample [server] 1000000-1500000", "main [server] 1500000-3500000", "mutex 9000000-10000000");
    }
}

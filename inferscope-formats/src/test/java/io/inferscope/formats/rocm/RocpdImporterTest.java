package io.inferscope.formats.rocm;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.Formats;
import io.inferscope.formats.sqlite.SqliteFixture;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocpdImporterTest {
    @TempDir
    private Path folder;

    private Timeline load(String script) throws ImportException {
        return Formats.importers().load(SqliteFixture.write(folder.resolve("1_results.db"), script));
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
        Timeline timeline = load(RocpdFixture.INLINE);
        assertThat(timeline.info().format()).isEqualTo("rocpd");
        assertThat(rows(timeline, RowKind.KERNEL))
                .containsExactlyInAnyOrder("gemm() 150-250", "raw.kd 260-270", "kernel 77 260-280");
        assertThat(timeline.tracks().stream().map(t -> t.kind() + " " + t.key() + " " + t.name()))
                .containsExactlyInAnyOrder(
                        "PROCESS 42 42",
                        "THREAD 7 scheduler",
                        "DEVICE 0 0",
                        "STREAM 42/2 stream 2",
                        "STREAM 42.queue17/0 queue 17",
                        "DEVICE 1 1",
                        "STREAM 42/2 stream 2");
        assertThat(timeline.properties())
                .containsEntry("device.0.name", "MI300X")
                .containsEntry("device.1.name", "gfx942");
    }

    @Test
    void callsOwnWhatTheyLaunched() throws ImportException {
        Timeline timeline = load(RocpdFixture.INLINE);
        assertThat(rowsOf(timeline, RowKind.KERNEL)
                        .mapToObj(r -> timeline.name(timeline.links().launchOf(r))))
                .containsExactlyInAnyOrder("hipLaunchKernel", "hipGraphLaunch", "hipGraphLaunch");
        int copy = rowsOf(timeline, RowKind.MEMCPY_H2D).findFirst().orElseThrow();
        assertThat(timeline.name(copy)).isEqualTo("Memcpy HtoD");
        assertThat(timeline.attribute(copy, Attribute.SIZE_BYTES)).isEqualTo(4096);
    }

    @Test
    void regionsBecomeWhatTheirCategorySays() throws ImportException {
        Timeline timeline = load(RocpdFixture.INLINE);
        assertThat(rows(timeline, RowKind.ANNOTATION)).containsExactly("step 90-800");
        assertThat(rows(timeline, RowKind.INSTANT)).containsExactly("here 95-95");
        assertThat(rows(timeline, RowKind.DRIVER_CALL))
                .containsExactly("hsa_signal_wait_scacquire 400-500", "MEMORY_ALLOCATION_ALLOC 600-640");
        assertThat(rows(timeline, RowKind.OPERATOR)).containsExactly("ncclAllReduce 700-710");
    }

    @Test
    void whatIsNotUsedIsCounted() throws ImportException {
        Timeline timeline = load(RocpdFixture.INLINE);
        // A copy between hosts, scratch memory, roctxGetThreadId, a call without duration, two counter values.
        assertThat(timeline.importStats().count(Reason.NOT_USED)).isEqualTo(6);
        assertThat(timeline.importStats().count(Reason.NEGATIVE_SPAN)).isEqualTo(1);
        assertThat(timeline.properties().toString()).doesNotContain("secret");
    }

    @Test
    void stampsAndTracksMayLieInTablesOfTheirOwn() throws ImportException {
        Timeline timeline = load(RocpdFixture.TRACKS);
        assertThat(rows(timeline, RowKind.KERNEL)).containsExactly("gemm() 150-250");
        assertThat(rows(timeline, RowKind.RUNTIME_CALL)).containsExactly("hipLaunchKernel 100-120");
        assertThat(rows(timeline, RowKind.INSTANT)).containsExactly("here 95-95");
        assertThat(timeline.tracks().stream().map(t -> t.key())).contains("42/2", "42", "7", "0");
        assertThat(timeline.links().count()).isEqualTo(1);
        assertThat(timeline.importStats().count(Reason.BAD_TIMESTAMP)).isEqualTo(1);
    }

    @Test
    void severalRecordingsInOneDatabaseAreAllRead() throws ImportException {
        String other =
                RocpdFixture.INLINE.replace("_0f", "_aa_01").replace("CREATE VIEW rocpd_string ", "CREATE VIEW other ");
        Timeline timeline = load(RocpdFixture.INLINE + other.replace("42", "43"));
        assertThat(rows(timeline, RowKind.KERNEL)).hasSize(6);
        assertThat(timeline.links().count())
                .isEqualTo(2 * load(RocpdFixture.INLINE).links().count());
    }
}

package io.inferscope.formats.nsys;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.importer.ImportException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real exports against figures that plain SQL gives for them: counts by {@code GROUP BY}, unions of intervals by a script over the rows. */
@Tag("traces")
class NsysRealExportsTest {
    private static long count(Timeline timeline, RowKind kind) {
        long count = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            count += timeline.kind(row) == kind ? 1 : 0;
        }
        return count;
    }

    private static long busyNs(Timeline timeline, String device) {
        Intervals.Builder busy = new Intervals.Builder(16);
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.STREAM
                    && timeline.tracks().get(track.parent()).key().equals(device)) {
                for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
                    if (timeline.kind(row).isDeviceOperation()) {
                        busy.add(timeline.startNs(row), timeline.endNs(row));
                    }
                }
            }
        }
        return busy.build().totalNs();
    }

    @Test
    void oneSecondOfTwoGpusAgreesWithSql() throws ImportException {
        Timeline timeline = Formats.importers().load(SharedTraces.nsys("h100_2gpu_1s.sqlite"));
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(3442);
        assertThat(count(timeline, RowKind.MEMCPY_H2D)).isEqualTo(450);
        assertThat(count(timeline, RowKind.MEMCPY_D2H)).isEqualTo(4);
        assertThat(count(timeline, RowKind.MEMCPY_D2D)).isEqualTo(450);
        assertThat(count(timeline, RowKind.MEMSET)).isEqualTo(22);
        assertThat(count(timeline, RowKind.RUNTIME_CALL)).isEqualTo(5796);
        assertThat(count(timeline, RowKind.OPERATOR) + count(timeline, RowKind.ANNOTATION))
                .isEqualTo(16782);
        assertThat(count(timeline, RowKind.THREAD_STATE)).isEqualTo(198);
        assertThat(busyNs(timeline, "0")).isEqualTo(962_890_247);
        assertThat(busyNs(timeline, "1")).isEqualTo(962_810_705);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
        assertThat(timeline.originUnixNs()).isEqualTo(1_779_630_014_975_716_426L - 35_255_823_190L);
    }

    @Test
    void kernelsOfOneSecondAreLinkedAsAJoinOfProcessAndIdSays() throws ImportException {
        Timeline timeline = Formats.importers().load(SharedTraces.nsys("h100_2gpu_1s.sqlite"));
        long linked = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            linked += timeline.kind(row) == RowKind.KERNEL && timeline.links().launchOf(row) >= 0 ? 1 : 0;
        }
        assertThat(linked).isEqualTo(1632);
    }

    @Test
    void aSmallHealthyExportAgreesWithSql() throws ImportException {
        Timeline timeline = Formats.importers().load(SharedTraces.nsys("healthy_1pct.sqlite"));
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(400);
        assertThat(busyNs(timeline, "0")).isEqualTo(400_000_000);
        assertThat(timeline.links().count()).isEqualTo(400);
        assertThat(timeline.properties()).containsEntry("device.0.name", "NVIDIA H100 80GB HBM3");
    }
}

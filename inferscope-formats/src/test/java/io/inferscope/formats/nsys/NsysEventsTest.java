package io.inferscope.formats.nsys;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.Formats;
import io.inferscope.formats.sqlite.SqliteFixture;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineDump;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Waits for CUDA events in exports of Nsight Systems. Two processes number their calls and events alike; in the first a stream waits, in the second a
 * host call does. Process 10, thread 11 is 167772171, process 20, thread 20 is 335544340.
 */
class NsysEventsTest {
    private static final String CALLS = """
            CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
            INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaEventRecordWithFlags_v11010'), (3, 'cudaStreamWaitEvent_v3020'),
              (4, 'cudaEventSynchronize_v3020'), (5, 'before'), (6, 'again'), (7, 'released'), (8, 'other');
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, "end" INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 167772171, 1, 1), (120, 130, 167772171, 2, 2), (140, 150, 167772171, 3, 1),
              (160, 170, 167772171, 4, 2), (180, 190, 167772171, 5, 3), (200, 210, 167772171, 6, 1),
              (100, 110, 335544340, 1, 1), (120, 130, 335544340, 2, 2), (180, 400, 335544340, 5, 4);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, "end" INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER,
              streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (115, 200, 0, 1, 7, 1, 167772160, 5, 5), (200, 300, 0, 1, 7, 3, 167772160, 6, 6),
              (301, 350, 0, 1, 8, 6, 167772160, 7, 7), (115, 390, 1, 1, 9, 1, 335544320, 8, 8);
            CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, "end" INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
              correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (182, 188, 0, 1, 8, 5, 167772160, 2, 33), (182, 398, 1, 1, 4294967295, 5, 335544320, 1, 33);
            """;

    private static final String RECORDED = """
            CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
              correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT NULL);
            INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 2, 167772160, 33), (0, 1, 7, 4, 167772160, 33), (1, 1, 9, 2, 335544320, 33);
            """;

    @TempDir
    private Path folder;

    private List<String> waits(String tables) throws Exception {
        return TimelineDump.links(
                Formats.importers().load(SqliteFixture.write(folder.resolve("export.sqlite"), tables)),
                LinkKind.EVENT_WAIT);
    }

    @Test
    void whatWaitedIsJoinedToTheLastOperationBeforeTheLatestRecording() throws Exception {
        assertThat(waits(CALLS + RECORDED)).containsExactly("again -> released", "other -> cudaEventSynchronize");
    }

    /** As exports of two GPUs state it: device 0, whichever one the context is of. */
    @Test
    void aSynchronisationIsOnTheDeviceOfItsContext() throws Exception {
        String tables = CALLS.replace("(182, 398, 1, 1, 4294967295,", "(182, 398, 0, 1, 9,");
        Timeline timeline = Formats.importers().load(SqliteFixture.write(folder.resolve("export.sqlite"), tables));
        int kernel = row(timeline, RowKind.KERNEL, "other");
        int sync = row(timeline, RowKind.DEVICE_SYNC, "Synchronisation");
        assertThat(timeline.track(sync)).isEqualTo(timeline.track(kernel));
    }

    private static int row(Timeline timeline, RowKind kind, String name) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind && timeline.name(row).equals(name))
                .reduce((first, last) -> last)
                .orElseThrow();
    }

    @Test
    void withoutTheRecordingsNothingIsGuessed() throws Exception {
        assertThat(waits(CALLS)).isEmpty();
    }
}

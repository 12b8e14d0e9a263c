package io.inferscope.formats.nsys;

import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.importer.EventWaits;
import java.util.HashMap;
import java.util.Map;

/**
 * Waits for CUDA events: {@code CUPTI_ACTIVITY_KIND_CUDA_EVENT} has the stream on which an event was recorded, {@code
 * CUPTI_ACTIVITY_KIND_SYNCHRONIZATION} its waits. Event numbers and correlation ids are unique per process.
 */
final class NsysEvents {
    /** Values of CUpti_ActivitySynchronizationType (CUPTI, cupti_activity.h). */
    private static final long EVENT_SYNCHRONIZE = 1;

    private static final long STREAM_WAIT_EVENT = 2;

    private final NsysTables tables;
    private final EventWaits waits;
    private final Map<OfProcess, Integer> numbers = new HashMap<>();

    /** A number that is unique within one process. */
    private record OfProcess(long process, boolean isEvent, long number) {}

    NsysEvents(NsysTables tables) {
        this.tables = tables;
        this.waits = new EventWaits(tables.builder());
    }

    /** Reads which events were recorded where. */
    void read() {
        tables.scan(
                "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                row -> waits.recorded(
                        call(row.number(0), row.number(1, 0)),
                        tables.streamTrack(row.number(0), row.number(2), row.number(3), row.number(4)),
                        event(row.number(0), row.number(5))),
                "globalPid",
                "correlationId",
                "deviceId",
                "contextId",
                "streamId",
                "eventId");
    }

    /** Adds a synchronisation on a stream's track. */
    void synchronised(long globalPid, long correlation, int track, long type, long event) {
        if (event == SqliteRow.ABSENT || correlation == 0) {
            return;
        }
        if (type == STREAM_WAIT_EVENT) {
            waits.waits(call(globalPid, correlation), track, event(globalPid, event));
        } else if (type == EVENT_SYNCHRONIZE) {
            waits.hostWaits(call(globalPid, correlation), event(globalPid, event));
        }
    }

    /** Takes a CUDA call. */
    void called(long globalTid, long correlation, int row, String name) {
        if (EventWaits.isOfEvents(name)) {
            waits.call(call(globalTid, correlation), row, name);
        }
    }

    private long call(long globalId, long correlation) {
        return number(globalId, false, correlation);
    }

    private int event(long globalId, long event) {
        return number(globalId, true, event);
    }

    private int number(long globalId, boolean isEvent, long number) {
        OfProcess key = new OfProcess(tables.correlationProcess(globalId), isEvent, number);
        return numbers.computeIfAbsent(key, unseen -> numbers.size());
    }

    /** Links operations to their calls, and to the operations that they waited for. */
    void link(CorrelationLinker linker) {
        linker.link((kind, from, to, confidence) -> {
            tables.builder().link(kind, from, to, confidence);
            waits.launched(from, to);
        });
        waits.link();
    }
}

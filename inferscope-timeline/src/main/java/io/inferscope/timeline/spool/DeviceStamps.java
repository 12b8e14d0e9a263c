package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.ImportStats.Reason;
import java.util.Set;

/**
 * Stamps of device records on the run's axis. One that cannot be placed is counted, and its time counts as not
 * recorded.
 */
record DeviceStamps(SpoolFields fields, DeviceClock clock, UnrecordedTime unrecorded) {
    private static final Set<Integer> IS_WORK = Set.of(KERNEL, MEMCPY, MEMSET, GRAPH_REPLAY);

    /** Returns the axis time of a stamp of a record, {@link DeviceClock#UNPLACED} when it has none. */
    long axisNs(SpoolRecordView view, long deviceNs) {
        long axisNs = deviceNs > 0 ? clock.toAxisNs(deviceNs, view.fileOffset()) : DeviceClock.UNPLACED;
        if (axisNs == DeviceClock.UNPLACED) {
            fields.count(Reason.BAD_TIMESTAMP, view, "stamp " + deviceNs + " is not one of CUPTI's clock");
            unrecorded.unplaced(view.fileOffset(), IS_WORK.contains(view.type()));
        }
        return axisNs;
    }
}

package io.inferscope.timeline.spool;

import io.inferscope.timeline.ImportStats.Reason;

/**
 * Stamps of device records on the run's axis. One that cannot be placed is counted, and its time counts as not
 * recorded.
 */
record DeviceStamps(SpoolFields fields, DeviceClock clock, UnrecordedTime unrecorded) {
    /** Returns the axis time of a stamp of a record, {@link DeviceClock#UNPLACED} when it has none. */
    long axisNs(SpoolRecordView view, long deviceNs) {
        long axisNs = deviceNs > 0 ? clock.toAxisNs(deviceNs, view.fileOffset()) : DeviceClock.UNPLACED;
        if (axisNs == DeviceClock.UNPLACED) {
            fields.count(Reason.BAD_TIMESTAMP, view, "stamp " + deviceNs + " is not one of CUPTI's clock");
            unrecorded.unplaced(view.fileOffset());
        }
        return axisNs;
    }
}

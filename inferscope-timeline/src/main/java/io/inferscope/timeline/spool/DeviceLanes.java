package io.inferscope.timeline.spool;

import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.HashMap;
import java.util.Map;

/** The streams of one process, and what its agent said of devices, contexts and launch configurations. */
final class DeviceLanes {
    private final SpoolFields fields;
    private final int pid;
    private final RunDevices.OfProcess devices;
    private final Map<Integer, Integer> tracks = new HashMap<>();
    private final Map<Integer, Integer> shapes = new HashMap<>();
    private final Map<Integer, Integer> deviceOfContext = new HashMap<>();

    DeviceLanes(SpoolFields fields, int pid, RunDevices.OfProcess devices) {
        this.fields = fields;
        this.pid = pid;
        this.devices = devices;
    }

    private TimelineBuilder builder() {
        return fields.run().builder();
    }

    void lane(SpoolRecordView view) {
        deviceOfContext.putIfAbsent(view.i32(16), view.i32(12));
        tracks.put(view.i32(8), stream(view.i32(12), view.i32(16), view.i32(20)));
    }

    void context(SpoolRecordView view) {
        deviceOfContext.put(view.i32(8), view.i32(12));
    }

    /** Interns a launch configuration as the text that kernels of it carry. */
    void shape(SpoolRecordView view) {
        String text = "grid " + cells(view, 12) + ", block " + cells(view, 24) + ", " + view.u32(36)
                + " registers, shared memory " + view.u32(40) + " + " + view.u32(44) + " bytes";
        shapes.put(view.i32(8), builder().name(text));
    }

    private static String cells(SpoolRecordView view, int field) {
        return view.u32(field) + "x" + view.u32(field + 4) + "x" + view.u32(field + 8);
    }

    void device(SpoolRecordView view) {
        if (RunDevices.isHidden(view)) {
            return;
        }
        String prefix = "device." + devices.number(view.i32(8)) + '.';
        boolean instance = view.i64(48) != 0 || view.i64(56) != 0;
        property(
                prefix + "name", fields.text(view, 12) + (instance ? " (MIG, GPU instance " + view.u32(64) + ')' : ""));
        property(prefix + "sms", view.u32(20) == 0 ? "" : Long.toString(view.u32(20)));
        property(prefix + "memory_bytes", view.i64(24) <= 0 ? "" : Long.toString(view.i64(24)));
    }

    private void property(String key, String value) {
        if (!value.isEmpty()) {
            builder().property(key, value);
        }
    }

    /** Returns the track of a lane, -1 when its record is lost. */
    int track(int lane) {
        return tracks.getOrDefault(lane, -1);
    }

    /** Returns the track of a stream whose device follows from its context; without one of all streams. */
    int track(int context, int stream) {
        return stream(deviceOfContext.getOrDefault(context, 0), context, stream);
    }

    private int stream(int device, int context, int stream) {
        boolean all = stream == CuptiWords.NONE;
        int parent = builder().track(TrackKind.DEVICE, -1, Integer.toUnsignedString(devices.number(device)));
        String key = Integer.toUnsignedString(pid)
                + '.'
                + Integer.toUnsignedString(context)
                + '/'
                + (all ? "all" : Integer.toUnsignedString(stream));
        int track = builder().track(TrackKind.STREAM, parent, key);
        builder().trackName(track, all ? "all streams" : "stream " + Integer.toUnsignedString(stream));
        return track;
    }

    /** Returns the name id of a launch configuration, 0 when its record is lost or there is none. */
    int shape(int id) {
        return shapes.getOrDefault(id, 0);
    }
}

package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.HashMap;
import java.util.Map;

/** The streams, devices, contexts and launch configurations of one process. */
final class DeviceLanes {
    private final SpoolFields fields;
    private final int pid;
    private final RunDevices.OfProcess devices;
    private final Map<Integer, Integer> tracks = new HashMap<>();
    private final Map<Integer, Launch> launches = new HashMap<>();
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
        int device = view.i32(LANE_DEVICE);
        int context = view.i32(LANE_CONTEXT);
        deviceOfContext.putIfAbsent(context, device);
        tracks.put(view.i32(LANE_ID), stream(device, context, view.i32(LANE_STREAM)));
    }

    void context(SpoolRecordView view) {
        deviceOfContext.put(view.i32(CONTEXT_NUMBER), view.i32(CONTEXT_DEVICE));
    }

    void configuration(SpoolRecordView view) {
        long[] grid = {view.u32(CONFIGURATION_GRID_X), view.u32(CONFIGURATION_GRID_Y), view.u32(CONFIGURATION_GRID_Z)};
        long[] block = {
            view.u32(CONFIGURATION_BLOCK_X), view.u32(CONFIGURATION_BLOCK_Y), view.u32(CONFIGURATION_BLOCK_Z)
        };
        String more = ", " + view.u32(CONFIGURATION_REGISTERS) + " registers, shared memory "
                + view.u32(CONFIGURATION_STATIC_SHARED_BYTES) + " + " + view.u32(CONFIGURATION_DYNAMIC_SHARED_BYTES)
                + " bytes";
        launches.put(view.i32(CONFIGURATION_ID), new Launch(grid, block, more));
    }

    void device(SpoolRecordView view) {
        if (RunDevices.isHidden(view)) {
            return;
        }
        String id = Integer.toString(devices.number(view.i32(DEVICE_NUMBER)));
        boolean instance = view.i64(DEVICE_INSTANCE_ID) != 0 || view.i64(DEVICE_INSTANCE_ID + Long.BYTES) != 0;
        DeviceFact.NAME.store(
                builder(),
                id,
                fields.text(view, DEVICE_NAME)
                        + (instance ? " (MIG, GPU instance " + view.u32(DEVICE_GPU_INSTANCE) + ')' : ""));
        DeviceFact.SMS.store(
                builder(),
                id,
                view.u32(DEVICE_MULTIPROCESSORS) == 0 ? "" : Long.toString(view.u32(DEVICE_MULTIPROCESSORS)));
        DeviceFact.MEMORY_BYTES.store(
                builder(), id, view.i64(DEVICE_MEMORY_BYTES) <= 0 ? "" : Long.toString(view.i64(DEVICE_MEMORY_BYTES)));
    }

    /** Returns the track of a lane, -1 when its record is lost. */
    int track(int lane) {
        return tracks.getOrDefault(lane, -1);
    }

    /** Returns the track of a stream of a context, or the track of all streams. */
    int track(int context, int stream) {
        return stream(deviceOfContext.getOrDefault(context, 0), context, stream);
    }

    private int stream(int device, int context, int stream) {
        boolean all = stream == CuptiNames.NONE;
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

    /** Returns a launch configuration, {@link Launch#UNKNOWN} when its record is lost or there is none. */
    Launch launch(int id) {
        return launches.getOrDefault(id, Launch.UNKNOWN);
    }
}

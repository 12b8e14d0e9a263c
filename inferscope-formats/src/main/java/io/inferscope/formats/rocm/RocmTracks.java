package io.inferscope.formats.rocm;

import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Tracks and names that both formats of rocprofv3 share. */
final class RocmTracks {
    /** Suffix of calls for per-thread streams: hip/hip_runtime_api.h. */
    private static final Pattern STREAM_PER_THREAD = Pattern.compile("(hip\\w+)_spt");

    private final TimelineBuilder builder;
    private final Map<Long, Integer> processes = new HashMap<>();
    private final Map<ThreadKey, Integer> threads = new HashMap<>();
    private final Map<StreamKey, Integer> streams = new HashMap<>();

    /**
     * A processor.
     *
     * @param gpu whether it is a GPU
     * @param key its number among those of its type
     * @param name the product's name, or another name
     */
    record Agent(boolean gpu, String key, String name) {}

    private record ThreadKey(long process, long thread) {}

    private record StreamKey(long process, int device, long queue, long stream) {}

    RocmTracks(TimelineBuilder builder) {
        this.builder = builder;
    }

    int process(long process) {
        return processes.computeIfAbsent(process, p -> builder.track(TrackKind.PROCESS, -1, Long.toString(p)));
    }

    /** Returns the track of a process, null if it has none. */
    @Nullable
    Integer knownProcess(long process) {
        return processes.get(process);
    }

    /** Returns the track of a thread, null if it has none. */
    @Nullable
    Integer knownThread(long process, long thread) {
        return threads.get(new ThreadKey(process, thread));
    }

    int thread(long process, long thread) {
        return threads.computeIfAbsent(
                new ThreadKey(process, thread),
                k -> builder.track(TrackKind.THREAD, process(process), Long.toString(Math.max(0, thread))));
    }

    /** Returns the track of a device and keeps its name as a property. */
    int device(String key, String name) {
        DeviceFact.NAME.store(builder, key, name);
        return builder.track(TrackKind.DEVICE, -1, key);
    }

    /**
     * Returns the track of a HIP stream. Stream 0 also stands for an unknown stream, so its queues get separate tracks.
     */
    int stream(long process, int device, long queue, long stream) {
        return streams.computeIfAbsent(
                new StreamKey(process, device, stream > 0 ? 0 : Math.max(0, queue), Math.max(0, stream)),
                k -> newStream(k, process));
    }

    private int newStream(StreamKey key, long process) {
        String queue = key.queue > 0 ? process + ".queue" + key.queue : Long.toString(process);
        int track = builder.track(TrackKind.STREAM, key.device, queue + "/" + key.stream);
        builder.trackName(track, key.queue > 0 ? "queue " + key.queue : "stream " + key.stream);
        return track;
    }

    /** Returns a call's name in the form of ApiCalls. */
    static String callName(String name) {
        var matcher = STREAM_PER_THREAD.matcher(name);
        return matcher.matches() ? matcher.group(1) : name;
    }

    /** Returns the direction of a copy by the kinds of its ends. */
    static RowKind copyKind(boolean fromGpu, boolean toGpu, boolean sameGpu) {
        if (fromGpu && toGpu) {
            return sameGpu ? RowKind.MEMCPY_D2D : RowKind.MEMCPY_P2P;
        }
        return fromGpu ? RowKind.MEMCPY_D2H : toGpu ? RowKind.MEMCPY_H2D : RowKind.MEMCPY_OTHER;
    }

    /** Returns a copy's name as the other formats write it. */
    static String copyName(RowKind kind) {
        return switch (kind) {
            case MEMCPY_H2D -> "Memcpy HtoD";
            case MEMCPY_D2H -> "Memcpy DtoH";
            case MEMCPY_D2D -> "Memcpy DtoD";
            case MEMCPY_P2P -> "Memcpy PtoP";
            default -> "Memcpy of unknown direction";
        };
    }
}

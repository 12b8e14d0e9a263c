package io.inferscope.timeline.kineto;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the track of an event, and names processes and threads as metadata events do. The last tracks are cached,
 * because neighbouring events share tracks.
 */
final class KinetoTracks {
    private final TimelineBuilder builder;
    private final LosslessMetadata declared;
    private final Map<String, String> processNames = new HashMap<>();
    private final Map<String, String> processLabels = new HashMap<>();
    private final Map<ThreadKey, String> threadNames = new HashMap<>();
    private final Map<String, Integer> hostProcesses = new HashMap<>();
    private String cachedPid = "";
    private String cachedTid = "";
    private int cachedTrack = -1;
    private @Nullable StreamKey cachedStream;
    private int cachedStreamTrack = -1;

    /** A thread's ids in events. */
    record ThreadKey(String pid, String tid) {
        // Hand-written: a record's generated methods are linked at their first call, which slows start-up.
        @Override
        public boolean equals(Object other) {
            return other instanceof ThreadKey that && pid.equals(that.pid) && tid.equals(that.tid);
        }

        @Override
        public int hashCode() {
            return pid.hashCode() * 31 + tid.hashCode();
        }
    }

    /** A stream's ids in events. */
    record StreamKey(String device, String context, String stream) {
        boolean isSame(@Nullable StreamKey other) {
            return other != null
                    && stream.equals(other.stream)
                    && device.equals(other.device)
                    && context.equals(other.context);
        }
    }

    KinetoTracks(TimelineBuilder builder, LosslessMetadata declared) {
        this.builder = builder;
        this.declared = declared;
    }

    void clear() {
        processNames.clear();
        processLabels.clear();
        threadNames.clear();
        hostProcesses.clear();
        cachedTrack = -1;
        cachedStream = null;
    }

    /**
     * Returns the track that an event declares, otherwise the one that follows from its kind, process, thread or
     * device.
     */
    int of(TraceEvent event, RowKind kind) {
        int track = declared.trackOf(event, kind);
        if (track >= 0) {
            return track;
        }
        if (kind == RowKind.COUNTER) {
            return ofCounter(event, event.name());
        }
        return kind.isOnStream() ? streamTrack(event) : hostTrack(event, kind);
    }

    /** Returns the track of a counter, or of one of its series. */
    int ofCounter(TraceEvent event, String name) {
        return builder.track(TrackKind.COUNTER, builder.track(TrackKind.PROCESS, -1, event.pid()), name);
    }

    /** The device is the argument {@code device}, otherwise the event's process id. */
    private int streamTrack(TraceEvent event) {
        StreamKey key = stream(event, event.text(Arg.STREAM, event.tid()));
        if (!key.isSame(cachedStream)) {
            cachedStream = key;
            cachedStreamTrack = streamTrack(key.device, key.context, key.stream);
        }
        return cachedStreamTrack;
    }

    /** Returns the key of a stream with an event's device and context. */
    StreamKey stream(TraceEvent event, String stream) {
        return new StreamKey(event.text(Arg.DEVICE, event.pid()), event.text(Arg.CONTEXT, ""), stream);
    }

    /** Returns the track of a stream, -1 if it has none yet. */
    int known(StreamKey stream) {
        int device = builder.knownTrack(TrackKind.DEVICE, -1, stream.device);
        return device < 0 ? -1 : builder.knownTrack(TrackKind.STREAM, device, key(stream.context, stream.stream));
    }

    private static String key(String context, String stream) {
        return context.isEmpty() ? stream : context + '/' + stream;
    }

    private int streamTrack(String deviceKey, String context, String stream) {
        int device = builder.track(TrackKind.DEVICE, -1, deviceKey);
        int track = builder.track(TrackKind.STREAM, device, key(context, stream));
        builder.trackName(track, "stream " + stream);
        return track;
    }

    private int hostTrack(TraceEvent event, RowKind kind) {
        return switch (kind) {
            case PROCESS -> hostProcesses.computeIfAbsent(event.pid(), p -> builder.track(TrackKind.PROCESS, -1, p));
            case THREAD_STATE, HAND_OVER -> threadTrack(event.pid(), event.text(Arg.THREAD, event.tid()));
            default -> threadTrack(event.pid(), event.tid());
        };
    }

    private int threadTrack(String pid, String tid) {
        if (cachedTrack < 0 || !pid.equals(cachedPid) || !tid.equals(cachedTid)) {
            int process = hostProcesses.computeIfAbsent(pid, p -> builder.track(TrackKind.PROCESS, -1, p));
            cachedTrack = builder.track(TrackKind.THREAD, process, tid);
            cachedPid = pid;
            cachedTid = tid;
        }
        return cachedTrack;
    }

    /** Returns the track of a thread, -1 if it has none yet. */
    int knownThread(String pid, String tid) {
        return builder.knownTrack(TrackKind.THREAD, hostProcesses.getOrDefault(pid, -1), tid);
    }

    /** Returns the track of a device's stream. */
    int stream(String device, String stream) {
        return streamTrack(device, "", stream);
    }

    /** Returns the name of a process as far as it was read; empty if none was. */
    String processName(String pid) {
        return processNames.getOrDefault(pid, "");
    }

    /** Returns the label of a process as far as it was read; empty if none was. */
    String processLabel(String pid) {
        return processLabels.getOrDefault(pid, "");
    }

    /** Stores the name in a metadata event; ignores other metadata. */
    void metadata(TraceEvent event) {
        String name = event.text(Arg.NAME, "");
        if (event.name().equals("process_name")) {
            processNames.put(event.pid(), name);
        } else if (event.name().equals("process_labels")) {
            processLabels.put(event.pid(), name);
        } else if (event.name().equals("thread_name")) {
            threadNames.put(new ThreadKey(event.pid(), event.tid()), name);
        }
    }

    /** Names the tracks at the end, because names may come before or after the events. */
    void finish() {
        hostProcesses.forEach((pid, track) -> {
            String name = processNames.getOrDefault(pid, "");
            if (!name.isEmpty()) {
                builder.trackName(track, name);
            }
        });
        threadNames.forEach((key, name) -> {
            Integer process = hostProcesses.get(key.pid);
            if (process != null && !name.isEmpty() && !name.startsWith("thread " + key.tid + " (")) {
                builder.trackName(builder.track(TrackKind.THREAD, process, key.tid), name);
            }
        });
    }
}

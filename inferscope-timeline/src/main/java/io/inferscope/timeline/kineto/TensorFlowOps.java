package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.importer.CopyNames;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Operators in the timelines of TensorFlow 1 ({@code tensorflow.python.client.timeline}). Each device and each stream is
 * a process there, and the name of the process tells which:
 *
 * <pre>
 *   /job:localhost/replica:0/task:0/device:CPU:0 Compute    operators that compute on the CPU
 *   /job:localhost/replica:0/task:0/device:GPU:0 Compute    operators that launch work
 *   /device:GPU:0/stream:18 Compute                         work of a stream
 *   /device:GPU:0/stream:all Compute, /memcpy Compute       the same once more
 * </pre>
 *
 * <p>Threads are lanes there, into which operators that overlap are sorted. So no lane shows what the program did; but
 * such a timeline is always of one {@code session.run}.
 */
final class TensorFlowOps {
    private static final String CATEGORY = "Op";

    private static final Pattern ON_GPU =
            Pattern.compile("(?:.*/)?(?:device:)?gpu:(\\d+)/(?:stream:(\\w+)|memcpy) compute");

    /** Where the events of a process are: on a stream, once more, or on the host if both are empty. */
    record Place(String device, String stream) {
        private static final Place HOST = new Place("", "");

        boolean isHost() {
            return device.isEmpty();
        }

        boolean isRepeated() {
            return !device.isEmpty() && stream.isEmpty();
        }
    }

    private final Map<String, Place> places = new HashMap<>();
    private long firstNs = Long.MAX_VALUE;
    private long lastNs = Long.MIN_VALUE;
    private boolean onDevice;

    /** Returns whether an event is an operator of a process that TensorFlow named. */
    static boolean isOne(TraceEvent event, KinetoTracks tracks) {
        return event.category().equals(CATEGORY)
                && tracks.processName(event.pid()).endsWith(" Compute");
    }

    /** Returns where the events of a process with that name are. */
    Place place(String process) {
        return places.computeIfAbsent(process, TensorFlowOps::parse);
    }

    private static Place parse(String process) {
        Matcher gpu = ON_GPU.matcher(process.toLowerCase(Locale.ROOT));
        if (!gpu.matches()) {
            return Place.HOST;
        }
        String stream = gpu.group(2);
        return new Place(gpu.group(1), stream == null || stream.equals("all") ? "" : stream);
    }

    void clear() {
        places.clear();
        firstNs = Long.MAX_VALUE;
        lastNs = Long.MIN_VALUE;
        onDevice = false;
    }

    /** Takes the time of an operator. */
    void ran(long startNs, long endNs, boolean stream) {
        firstNs = Math.min(firstNs, startNs);
        lastNs = Math.max(lastNs, endNs);
        onDevice |= stream;
    }

    /** Adds the call that ran the operators, and which framework it is of. */
    void finish(TimelineBuilder builder) {
        if (lastNs == Long.MIN_VALUE) {
            return;
        }
        builder.property(TimelineInfo.FRAMEWORK, "tensorflow");
        if (!onDevice) {
            int process = builder.track(TrackKind.PROCESS, -1, "session");
            int run = builder.row(
                    RowKind.ANNOTATION,
                    builder.track(TrackKind.THREAD, process, "run"),
                    firstNs,
                    lastNs,
                    builder.name("session.run"));
            builder.attribute(run, Attribute.ACTIVITY, RangeActivity.MODEL.ordinal());
        }
    }

    /** Returns what an operator did on a stream. */
    static RowKind kind(TraceEvent event) {
        String name = event.name().toUpperCase(Locale.ROOT);
        if (name.startsWith("MEMCPY")) {
            return CopyNames.of(event.name());
        }
        return name.startsWith("MEMSET") ? RowKind.MEMSET : RowKind.KERNEL;
    }
}

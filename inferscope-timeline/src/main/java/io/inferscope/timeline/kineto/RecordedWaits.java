package io.inferscope.timeline.kineto;

import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.importer.EventWaits;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * The waits for events that Kineto records with {@code enable_cuda_sync_events}: {@code Stream Wait Event} for waits of
 * streams, and {@code Event Sync} for waits of host calls. Their arguments name the stream on which the event was
 * recorded and the correlation id of the recording call (CuptiActivity.cpp of Kineto, {@code CudaSyncActivity}).
 */
final class RecordedWaits {
    private static final String BY_STREAM = "Stream Wait Event";
    private static final String BY_HOST = "Event Sync";

    private final TimelineBuilder builder;
    private final KinetoTracks tracks;
    private final List<Wait> waits = new ArrayList<>();

    private record Wait(
            boolean byHost, int track, long correlation, long recording, KinetoTracks.StreamKey recordedOn) {}

    RecordedWaits(TimelineBuilder builder, KinetoTracks tracks) {
        this.builder = builder;
        this.tracks = tracks;
    }

    void clear() {
        waits.clear();
    }

    /** Adds the event of a device synchronisation row, if it names a recording call; -1 names none. */
    void add(TraceEvent event, int row, long correlation) {
        long recording = event.number(Arg.WAITED_RECORDING, -1);
        boolean byHost = event.name().equals(BY_HOST);
        if (recording > 0 && (byHost || event.name().equals(BY_STREAM))) {
            waits.add(new Wait(
                    byHost,
                    builder.trackAt(row),
                    correlation,
                    recording,
                    tracks.stream(event, event.text(Arg.WAITED_STREAM, ""))));
        }
    }

    /** Links operations to their calls, and to the operations that they waited for. */
    void link(CorrelationLinker linker) {
        if (waits.isEmpty()) {
            linker.link(builder::link);
            return;
        }
        EventWaits events = new EventWaits(builder);
        for (Wait wait : waits) {
            int recordedOn = tracks.known(wait.recordedOn());
            if (recordedOn >= 0 && wait.byHost()) {
                events.hostWaitsFor(wait.correlation(), wait.recording(), recordedOn);
            } else if (recordedOn >= 0) {
                events.waitsFor(wait.correlation(), wait.track(), wait.recording(), recordedOn);
            }
        }
        events.callsOfRows();
        linker.link((kind, from, to, confidence) -> {
            builder.link(kind, from, to, confidence);
            events.launched(from, to);
        });
        events.link();
    }
}

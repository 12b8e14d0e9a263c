package io.inferscope.timeline.kineto;

import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.traceevent.Arg;
import java.io.IOException;

/** Writes a row's place and time: the viewer's lane, and the arguments by which the reader finds its track. */
final class EventPlaces {
    private final Timeline timeline;
    private final JsonGenerator json;
    private final KinetoMembers texts;

    EventPlaces(Timeline timeline, JsonGenerator json) {
        this.timeline = timeline;
        this.json = json;
        this.texts = new KinetoMembers(json);
    }

    /** Returns a track's id in events. It is not a number, because viewers would draw a number as a counter's value. */
    static String trackId(int track) {
        return "#" + track;
    }

    /** Returns the viewer's id for the thread or stream of a track. */
    static String lane(Track track) {
        return track.kind() == TrackKind.STREAM
                ? track.key().substring(track.key().indexOf('/') + 1)
                : track.key();
    }

    Track track(int row) {
        return timeline.tracks().get(timeline.track(row));
    }

    /** Returns the process or device of a track. */
    Track root(Track track) {
        return track.parent() < 0 ? track : timeline.tracks().get(track.parent());
    }

    /**
     * Writes process, thread and start. States and hand-overs get their own lanes: they overlap activities without
     * nesting, which viewers cannot draw on one lane.
     */
    void write(int row) throws IOException {
        Track track = track(row);
        boolean ownerless = track.kind() == TrackKind.COUNTER && track.parent() < 0;
        texts.id("pid", ownerless ? "0" : root(track).key());
        switch (timeline.kind(row)) {
            case THREAD_STATE -> texts.text("tid", track.key() + " state");
            case HAND_OVER -> texts.text("tid", track.key() + " hand-overs");
            case PROCESS -> json.writeStringField("tid", "process");
            default -> texts.id("tid", lane(track));
        }
        texts.micros("ts", timeline.startNs(row));
    }

    /** Writes the thread of a state or hand-over. Returns whether this identifies its track. */
    boolean thread(int row) throws IOException {
        texts.text(Arg.THREAD.key(), track(row).key());
        return track(row).kind() == TrackKind.THREAD;
    }

    /** Writes where a device operation ran. Returns whether this identifies its track. */
    boolean stream(int row) throws IOException {
        Track track = track(row);
        if (track.kind() != TrackKind.STREAM) {
            return false;
        }
        int slash = track.key().indexOf('/');
        if (timeline.kind(row) == RowKind.DEVICE_ANNOTATION) {
            // Kineto's have no such arguments; with them, HTA would count them as kernels.
            return slash < 0;
        }
        texts.id(Arg.DEVICE.key(), root(track).key());
        if (slash > 0) {
            texts.id(Arg.CONTEXT.key(), track.key().substring(0, slash));
        }
        texts.id(Arg.STREAM.key(), lane(track));
        return slash != 0;
    }
}

package io.inferscope.timeline.kineto;

import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.traceevent.Arg;
import java.io.IOException;
import java.util.BitSet;

/** Writes rows as events, and an arrow from each launch to its operation. What reads back otherwise than it was is said besides. */
final class EventWriter {
    private static final Arg[] ARGS = Arg.values();

    private final Timeline timeline;
    private final JsonGenerator json;
    private final JsonText texts;
    private final LinksToDeclare links;
    private final BitSet launchesWithArrow = new BitSet();

    EventWriter(Timeline timeline, JsonGenerator json, LinksToDeclare links) {
        this.timeline = timeline;
        this.json = json;
        this.texts = new JsonText(json);
        this.links = links;
    }

    /** Returns how events name a track; no number, which viewers would draw as a counter's value. */
    static String trackId(int track) {
        return "#" + track;
    }

    /** Returns the thread or stream of a track as viewers know it. */
    static String lane(Track track) {
        return track.kind() == TrackKind.STREAM
                ? track.key().substring(track.key().indexOf('/') + 1)
                : track.key();
    }

    void write(int row) throws IOException {
        RowKind kind = timeline.kind(row);
        boolean point = timeline.startNs(row) == timeline.endNs(row);
        if (kind == RowKind.COUNTER && point) {
            sample(row);
        } else if (kind == RowKind.INSTANT && point) {
            mark(row);
        } else {
            range(row, kind);
        }
        if (kind.isDeviceOperation()) {
            arrow(row);
        }
    }

    private Track track(int row) {
        return timeline.tracks().get(timeline.track(row));
    }

    private Track root(Track track) {
        return track.parent() < 0 ? track : timeline.tracks().get(track.parent());
    }

    private void begin(String phase, String category, int row) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", phase);
        if (!category.isEmpty()) {
            texts.text("cat", category);
        }
        texts.text("name", timeline.name(row));
        place(row);
        long stack = timeline.attribute(row, Attribute.STACK);
        if (stack >= 0) {
            json.writeNumberField("sf", stack);
        }
    }

    /** States overlap activities without nesting, which viewers cannot draw on one lane. */
    private void place(int row) throws IOException {
        Track track = track(row);
        boolean ownerless = track.kind() == TrackKind.COUNTER && track.parent() < 0;
        texts.id("pid", ownerless ? "0" : root(track).key());
        switch (timeline.kind(row)) {
            case THREAD_STATE -> texts.text("tid", track.key() + " state");
            case PROCESS -> json.writeStringField("tid", "process");
            default -> texts.id("tid", lane(track));
        }
        texts.micros("ts", timeline.startNs(row));
    }

    private void sample(int row) throws IOException {
        Track track = track(row);
        boolean usual = track.kind() == TrackKind.COUNTER
                && root(track).kind() == TrackKind.PROCESS
                && track.key().equals(timeline.name(row));
        long bits = timeline.attribute(row, Attribute.COUNTER_VALUE);
        begin("C", "", row);
        json.writeObjectFieldStart("args");
        if (bits != Attribute.ABSENT) {
            double value = Double.longBitsToDouble(bits);
            json.writeNumberField(Arg.VALUE.key(), value);
            if (Double.doubleToRawLongBits(Double.parseDouble(Double.toString(value))) != bits) {
                json.writeNumberField(Arg.COUNTER_BITS.key(), bits);
            }
        }
        args(row, !usual, bits == Attribute.ABSENT);
    }

    private void mark(int row) throws IOException {
        begin("i", Categories.written(RowKind.INSTANT), row);
        json.writeStringField("s", "t");
        json.writeObjectFieldStart("args");
        args(row, track(row).kind() != TrackKind.THREAD, false);
    }

    private void range(int row, RowKind kind) throws IOException {
        String category = category(row, kind);
        begin("X", category, row);
        texts.micros("dur", timeline.durationNs(row));
        json.writeObjectFieldStart("args");
        boolean usualTrack = switch (kind) {
            case PROCESS -> track(row).kind() == TrackKind.PROCESS;
            case THREAD_STATE -> thread(row);
            default -> kind.isOnStream() ? stream(row) : track(row).kind() == TrackKind.THREAD;
        };
        if (kind.isMemcpy()) {
            json.writeStringField(Arg.KIND.key(), Categories.kindText(kind));
        }
        long bits = kind == RowKind.COUNTER ? timeline.attribute(row, Attribute.COUNTER_VALUE) : Attribute.ABSENT;
        if (bits != Attribute.ABSENT) {
            json.writeNumberField(Arg.COUNTER_BITS.key(), bits);
        }
        args(row, !usualTrack, !readsBack(row, kind, category));
    }

    private String category(int row, RowKind kind) {
        boolean unknown = kind == RowKind.OTHER || kind == RowKind.ANNOTATION;
        String original = unknown ? timeline.attributeText(row, Attribute.DETAIL) : "";
        return Categories.isOtherAccelerator(original) ? original : Categories.written(kind);
    }

    /** Returns whether kind and attributes come out right when they are derived from category and name. */
    private boolean readsBack(int row, RowKind kind, String category) {
        String copyKind = kind.isMemcpy() ? Categories.kindText(kind) : "";
        boolean memoryKindsAppear = kind.isMemcpy()
                && timeline.attribute(row, Attribute.MEMORY_KINDS) == Attribute.ABSENT
                && Categories.memoryKinds(timeline.name(row)) != null;
        return Categories.kind(category, timeline.name(row), copyKind) == kind && !memoryKindsAppear;
    }

    private boolean thread(int row) throws IOException {
        texts.text(Arg.THREAD.key(), track(row).key());
        return track(row).kind() == TrackKind.THREAD;
    }

    /** Writes where a device operation ran. Returns whether that names its track. */
    private boolean stream(int row) throws IOException {
        Track track = track(row);
        if (track.kind() != TrackKind.STREAM) {
            return false;
        }
        int slash = track.key().indexOf('/');
        if (timeline.kind(row) == RowKind.DEVICE_ANNOTATION) {
            // Kineto's have no such arguments, by which HTA would take them for kernels.
            return slash < 0;
        }
        texts.id(Arg.DEVICE.key(), root(track).key());
        if (slash > 0) {
            texts.id(Arg.CONTEXT.key(), track.key().substring(0, slash));
        }
        texts.id(Arg.STREAM.key(), lane(track));
        return slash != 0;
    }

    private void args(int row, boolean sayTrack, boolean sayKind) throws IOException {
        if (timeline.correlation(row) != 0) {
            json.writeNumberField(Arg.CORRELATION.key(), timeline.correlation(row));
        }
        if (sayKind) {
            json.writeStringField(Arg.EXACT_KIND.key(), timeline.kind(row).name());
        }
        if (sayTrack) {
            json.writeStringField(Arg.TRACK.key(), trackId(timeline.track(row)));
        }
        if (links.isRowNamed(row)) {
            json.writeNumberField(Arg.ROW.key(), row);
        }
        attributes(row);
        json.writeEndObject();
        json.writeEndObject();
    }

    private void attributes(int row) throws IOException {
        for (Arg arg : ARGS) {
            Attribute attribute = arg.attribute();
            long value = attribute == null ? Attribute.ABSENT : timeline.attribute(row, attribute);
            if (value == Attribute.ABSENT || !arg.isWrittenFor(timeline.kind(row))) {
                continue;
            }
            if (arg == Arg.INPUT_DIMS) {
                texts.dimensions(arg.key(), timeline.text(value));
            } else if (arg.isText()) {
                texts.text(arg.key(), timeline.text(value));
            } else {
                json.writeNumberField(arg.key(), value);
            }
        }
    }

    /** Kineto's arrows bear the correlation id, by which TraceLens finds the operation of a launch; one per launch. */
    private void arrow(int row) throws IOException {
        int launch = timeline.links().launchOf(row);
        boolean told = launch >= 0
                && timeline.correlation(row) != 0
                && timeline.correlation(row) == timeline.correlation(launch);
        if (told && !launchesWithArrow.get(launch)) {
            launchesWithArrow.set(launch);
            arrowEnd("s", launch);
            arrowEnd("f", row);
        }
    }

    private void arrowEnd(String phase, int row) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", phase);
        json.writeNumberField("id", timeline.correlation(row));
        json.writeStringField("cat", "ac2g");
        json.writeStringField("name", "ac2g");
        place(row);
        if (phase.equals("f")) {
            json.writeStringField("bp", "e");
        }
        json.writeEndObject();
    }
}

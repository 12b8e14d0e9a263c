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

/** Writes rows as events, with additional members where a plain event would read back differently. */
final class EventWriter {
    private static final Arg[] ARGS = Arg.values();

    private final Timeline timeline;
    private final JsonGenerator json;
    private final KinetoMembers texts;
    private final LinksToDeclare links;
    private final EventPlaces places;
    private final ArrowWriter arrows;

    EventWriter(Timeline timeline, JsonGenerator json, LinksToDeclare links) {
        this.timeline = timeline;
        this.json = json;
        this.texts = new KinetoMembers(json);
        this.links = links;
        this.places = new EventPlaces(timeline, json);
        this.arrows = new ArrowWriter(timeline, json, places);
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
            arrows.write(row);
        }
    }

    private void begin(String phase, String category, int row) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", phase);
        if (!category.isEmpty()) {
            texts.text("cat", category);
        }
        texts.text("name", timeline.name(row));
        places.write(row);
        long stack = timeline.attribute(row, Attribute.STACK);
        if (stack >= 0) {
            json.writeNumberField("sf", stack);
        }
    }

    private void sample(int row) throws IOException {
        Track track = places.track(row);
        boolean usual = track.kind() == TrackKind.COUNTER
                && places.root(track).kind() == TrackKind.PROCESS
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
        args(row, places.track(row).kind() != TrackKind.THREAD, false);
    }

    private void range(int row, RowKind kind) throws IOException {
        String category = category(row, kind);
        begin("X", category, row);
        texts.micros("dur", timeline.durationNs(row));
        json.writeObjectFieldStart("args");
        boolean usualTrack = switch (kind) {
            case PROCESS -> places.track(row).kind() == TrackKind.PROCESS;
            case THREAD_STATE, HAND_OVER -> places.thread(row);
            default ->
                kind.isOnStream() ? places.stream(row) : places.track(row).kind() == TrackKind.THREAD;
        };
        if (kind.isMemcpy()) {
            json.writeStringField(Arg.KIND.key(), Categories.kindText(kind));
        }
        if (kind.isMemcpy() || kind == RowKind.MEMSET) {
            bandwidth(row);
        }
        long bits = kind == RowKind.COUNTER ? timeline.attribute(row, Attribute.COUNTER_VALUE) : Attribute.ABSENT;
        if (bits != Attribute.ABSENT) {
            json.writeNumberField(Arg.COUNTER_BITS.key(), bits);
        }
        args(row, !usualTrack, !readsBack(row, kind, category));
    }

    /** Writes the rate, which Kineto writes besides the size and which alone HTA reads. It is not read back. */
    private void bandwidth(int row) throws IOException {
        long sizeBytes = timeline.attribute(row, Attribute.SIZE_BYTES);
        if (sizeBytes >= 0 && timeline.durationNs(row) > 0) {
            json.writeNumberField("memory bandwidth (GB/s)", (double) sizeBytes / timeline.durationNs(row));
        }
    }

    private String category(int row, RowKind kind) {
        boolean unknown = kind == RowKind.OTHER || kind == RowKind.ANNOTATION;
        String original = unknown ? timeline.attributeText(row, Attribute.DETAIL) : "";
        return Categories.isOtherAccelerator(original) ? original : Categories.written(kind);
    }

    /** Returns whether a reader derives the right kind and attributes from category and name. */
    private boolean readsBack(int row, RowKind kind, String category) {
        String copyKind = kind.isMemcpy() ? Categories.kindText(kind) : "";
        boolean memoryKindsAppear = kind.isMemcpy()
                && timeline.attribute(row, Attribute.MEMORY_KINDS) == Attribute.ABSENT
                && Categories.memoryKinds(timeline.name(row)) != null;
        return Categories.kind(category, timeline.name(row), copyKind) == kind && !memoryKindsAppear;
    }

    private void args(int row, boolean sayTrack, boolean sayKind) throws IOException {
        if (timeline.correlation(row) != 0) {
            json.writeNumberField(Arg.CORRELATION.key(), timeline.correlation(row));
        }
        if (sayKind) {
            json.writeStringField(Arg.EXACT_KIND.key(), timeline.kind(row).name());
        }
        if (sayTrack) {
            json.writeStringField(Arg.TRACK.key(), EventPlaces.trackId(timeline.track(row)));
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
            } else if (arg == Arg.INPUT_TYPES || arg == Arg.CONCRETE_INPUTS) {
                texts.list(arg.key(), timeline.text(value));
            } else if (arg.isText()) {
                texts.text(arg.key(), timeline.text(value));
            } else {
                json.writeNumberField(arg.key(), value);
            }
        }
    }

    /**
     * Writes the arrows that viewers draw from launches to operations. They are not read back, because correlation ids
     * contain the same links.
     */
    private static final class ArrowWriter {
        private final Timeline timeline;
        private final JsonGenerator json;
        private final EventPlaces places;
        private final BitSet launchesWithArrow = new BitSet();

        ArrowWriter(Timeline timeline, JsonGenerator json, EventPlaces places) {
            this.timeline = timeline;
            this.json = json;
            this.places = places;
        }

        /**
         * Writes one arrow per launch. Like Kineto's, it has the correlation id, by which TraceLens finds the operation of
         * a launch.
         */
        void write(int row) throws IOException {
            int launch = timeline.links().launchOf(row);
            boolean told = launch >= 0
                    && timeline.correlation(row) != 0
                    && timeline.correlation(row) == timeline.correlation(launch);
            if (told && !launchesWithArrow.get(launch)) {
                launchesWithArrow.set(launch);
                end("s", launch);
                end("f", row);
            }
        }

        private void end(String phase, int row) throws IOException {
            json.writeStartObject();
            json.writeStringField("ph", phase);
            json.writeNumberField("id", timeline.correlation(row));
            json.writeStringField("cat", "ac2g");
            json.writeStringField("name", "ac2g");
            places.write(row);
            if (phase.equals("f")) {
                json.writeStringField("bp", "e");
            }
            json.writeEndObject();
        }
    }
}

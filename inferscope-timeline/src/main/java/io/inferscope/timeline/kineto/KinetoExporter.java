package io.inferscope.timeline.kineto;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WholeFile;
import io.inferscope.timeline.traceevent.Arg;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Writes a timeline as Chrome Trace Event JSON in Kineto's categories, so that Perfetto, HTA and TraceLens open it too. What Kineto has
 * no word for lives in categories and members that begin with {@code inferscope}. {@link KinetoImporter} reads all of it back.
 */
public final class KinetoExporter {
    private static final int VERSION = 1;

    private final Timeline timeline;
    private final JsonGenerator json;

    private KinetoExporter(Timeline timeline, JsonGenerator json) {
        this.timeline = timeline;
        this.json = json;
    }

    /** Writes a file, gzip when its name ends in {@code .gz}. The file appears whole or not at all. */
    public static void write(Timeline timeline, Path file) throws IOException {
        WholeFile.write(file, raw -> {
            if (file.toString().endsWith(".gz")) {
                FastGzip deflated = new FastGzip(raw);
                write(timeline, deflated);
                deflated.finish();
            } else {
                write(timeline, raw);
            }
        });
    }

    /** Writes to a stream, which stays open. */
    public static void write(Timeline timeline, OutputStream out) throws IOException {
        try (JsonGenerator json =
                new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            new KinetoExporter(timeline, json).document();
        }
    }

    /** Speed matters more than size: the trace is written while the user waits. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, 1 << 16);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    private void document() throws IOException {
        json.writeStartObject();
        json.writeNumberField("schemaVersion", 1);
        json.writeNumberField("baseTimeNanoseconds", timeline.originUnixNs());
        json.writeStringField("displayTimeUnit", "ms");
        properties();
        devices();
        recording();
        json.writeArrayFieldStart("traceEvents");
        for (Track track : timeline.tracks()) {
            names(track);
        }
        for (int row = 0; row < timeline.rowCount(); row++) {
            event(row);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void properties() throws IOException {
        for (Map.Entry<String, String> property : timeline.properties().entrySet()) {
            String key = property.getKey();
            if (key.indexOf('.') < 0 && !key.equals("schemaVersion")) {
                json.writeStringField(key, property.getValue());
            }
        }
        if (timeline.properties().containsKey("distributedInfo.rank")) {
            json.writeObjectFieldStart("distributedInfo");
            for (String key : new String[] {"backend", "rank", "world_size"}) {
                String value = timeline.properties().get("distributedInfo." + key);
                if (value != null) {
                    json.writeStringField(key, value);
                }
            }
            json.writeEndObject();
        }
    }

    private void devices() throws IOException {
        json.writeArrayFieldStart("deviceProperties");
        for (Track track : timeline.tracks()) {
            String name = timeline.properties().get("device." + track.key() + ".name");
            if (track.kind() == TrackKind.DEVICE && name != null) {
                json.writeStartObject();
                id("id", track.key());
                json.writeStringField("name", name);
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    private void recording() throws IOException {
        json.writeObjectFieldStart("inferscope");
        json.writeNumberField("version", VERSION);
        String program = timeline.properties().get("inferscope.program");
        if (program != null) {
            json.writeStringField("program", program);
        }
        String exitCode = timeline.properties().get("inferscope.exit_code");
        if (exitCode != null) {
            id("exit_code", exitCode);
        }
        json.writeArrayFieldStart("clocks");
        for (ClockDomain domain : timeline.info().clockDomains()) {
            json.writeStartObject();
            json.writeStringField("name", domain.name());
            json.writeNumberField("anchors", domain.anchors());
            json.writeNumberField("error_bound_ns", domain.errorBoundNs());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("coverage");
        for (TimelineInfo.Coverage coverage : timeline.info().coverage()) {
            json.writeStartObject();
            json.writeStringField("source", coverage.source());
            json.writeNumberField("recorded", coverage.recorded());
            json.writeNumberField("missing", coverage.missing());
            json.writeStringField("why", coverage.why());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("overheads");
        for (TimelineInfo.RecorderOverhead overhead : timeline.info().overheads()) {
            json.writeStartObject();
            json.writeStringField("recorder", overhead.recorder());
            json.writeNumberField("cpu_ns", overhead.cpuNs());
            json.writeNumberField("held_up_ns", overhead.heldUpNs());
            json.writeNumberField("events", overhead.events());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Tracks whose key is their name need no event. */
    private void names(Track track) throws IOException {
        boolean process = track.kind() == TrackKind.PROCESS;
        if ((process || track.kind() == TrackKind.THREAD) && !track.name().equals(track.key())) {
            json.writeStartObject();
            json.writeStringField("ph", "M");
            json.writeStringField("name", process ? "process_name" : "thread_name");
            id("pid", process ? track.key() : parentOf(track).key());
            id("tid", process ? "0" : track.key());
            json.writeObjectFieldStart("args");
            json.writeStringField("name", track.name());
            json.writeEndObject();
            json.writeEndObject();
        }
    }

    private Track parentOf(Track track) {
        return track.parent() < 0 ? track : timeline.tracks().get(track.parent());
    }

    private void event(int row) throws IOException {
        RowKind kind = timeline.kind(row);
        Track track = timeline.tracks().get(timeline.track(row));
        json.writeStartObject();
        boolean point = kind == RowKind.INSTANT;
        json.writeStringField("ph", kind == RowKind.COUNTER ? "C" : point ? "i" : "X");
        if (kind != RowKind.COUNTER) {
            json.writeStringField("cat", category(row, kind));
        }
        json.writeStringField("name", timeline.name(row));
        id("pid", parentOf(track).key());
        id("tid", lane(track, kind));
        micros("ts", timeline.startNs(row));
        if (point) {
            json.writeStringField("s", "t");
        } else if (kind != RowKind.COUNTER) {
            micros("dur", timeline.durationNs(row));
        }
        args(row, kind, track);
        json.writeEndObject();
    }

    private String category(int row, RowKind kind) {
        boolean unknown = kind == RowKind.OTHER || kind == RowKind.ANNOTATION;
        String original = unknown ? timeline.attributeText(row, Attribute.DETAIL) : "";
        return Categories.isOtherAccelerator(original) ? original : Categories.written(kind);
    }

    /** States overlap activities without nesting, which viewers cannot draw on one lane. */
    private static String lane(Track track, RowKind kind) {
        return switch (kind) {
            case THREAD_STATE -> track.key() + " state";
            case PROCESS -> "process";
            default ->
                track.kind() == TrackKind.STREAM
                        ? track.key().substring(track.key().indexOf('/') + 1)
                        : track.key();
        };
    }

    private void args(int row, RowKind kind, Track track) throws IOException {
        json.writeObjectFieldStart("args");
        if (track.kind() == TrackKind.STREAM) {
            int slash = track.key().indexOf('/');
            id(Arg.DEVICE.key(), parentOf(track).key());
            if (slash >= 0) {
                id(Arg.CONTEXT.key(), track.key().substring(0, slash));
            }
            id(Arg.STREAM.key(), track.key().substring(slash + 1));
        }
        if (kind.isMemcpy()) {
            json.writeStringField(Arg.KIND.key(), Categories.kindText(kind));
        }
        if (kind == RowKind.THREAD_STATE) {
            json.writeStringField(Arg.THREAD.key(), track.key());
        }
        if (timeline.correlation(row) != 0) {
            json.writeNumberField(Arg.CORRELATION.key(), timeline.correlation(row));
        }
        for (Arg arg : Arg.values()) {
            Attribute attribute = arg.attribute();
            if (attribute != null && timeline.attribute(row, attribute) != Attribute.ABSENT && arg.isWrittenFor(kind)) {
                if (arg.isText()) {
                    json.writeStringField(arg.key(), timeline.attributeText(row, attribute));
                } else {
                    json.writeNumberField(arg.key(), timeline.attribute(row, attribute));
                }
            }
        }
        if (kind == RowKind.COUNTER) {
            json.writeNumberField(
                    Arg.VALUE.key(), Double.longBitsToDouble(timeline.attribute(row, Attribute.COUNTER_VALUE)));
        }
        json.writeEndObject();
    }

    /** Ids and codes that are numbers are written as numbers, as Kineto does. */
    private void id(String key, String value) throws IOException {
        json.writeFieldName(key);
        boolean number = value.matches("-?(0|[1-9][0-9]{0,17})");
        if (number) {
            json.writeNumber(Long.parseLong(value));
        } else {
            json.writeString(value);
        }
    }

    /** Exact decimal microseconds. */
    private void micros(String key, long ns) throws IOException {
        json.writeFieldName(key);
        long absolute = Math.abs(ns);
        long fraction = absolute % 1000;
        String text = (ns < 0 ? "-" : "") + absolute / 1000;
        if (fraction != 0) {
            text += "." + (fraction < 10 ? "00" : fraction < 100 ? "0" : "") + fraction;
        }
        json.writeNumber(text);
    }
}

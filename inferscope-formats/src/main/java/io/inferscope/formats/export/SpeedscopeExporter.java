package io.inferscope.formats.export;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.formats.common.Exporter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.WholeFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/**
 * Speedscope's file format: an evented profile per thread and stream with nested ranges, a sampled one per thread with
 * stack samples. Times are nanoseconds since the first row of the recording itself, because a JavaScript number holds
 * no Unix time in nanoseconds.
 */
public final class SpeedscopeExporter extends Exporter {
    /** The schema of speedscope's own format: file-format-spec.ts of its sources. */
    private static final String SCHEMA = "https://www.speedscope.app/file-format-schema.json";

    public SpeedscopeExporter() {
        super("speedscope", ".speedscope.json", ".speedscope.json.gz", ".speedscope");
    }

    @Override
    public String leftOut(Timeline timeline) {
        return NestedRanges.cutRanges(timeline, "attributes, links, marks, counters and thread states");
    }

    @Override
    public void write(Timeline timeline, Path output) throws IOException {
        WholeFile.write(output, out -> {
            if (output.toString().endsWith(".gz")) {
                GZIPOutputStream deflated = new GZIPOutputStream(out, 1 << 16);
                write(timeline, deflated);
                deflated.finish();
            } else {
                write(timeline, out);
            }
        });
    }

    private static void write(Timeline timeline, OutputStream out) throws IOException {
        try (JsonGenerator json =
                new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            SpeedscopeFrameTable frames = new SpeedscopeFrameTable();
            long originNs = originNs(timeline);
            json.writeStartObject();
            json.writeStringField("$schema", SCHEMA);
            json.writeStringField("exporter", "inferscope");
            json.writeArrayFieldStart("profiles");
            for (Track track : timeline.tracks()) {
                if (hasStacks(timeline, track)) {
                    sampled(timeline, track, originNs, frames, json);
                }
                if (NestedRanges.isAnyOn(timeline, track.id())) {
                    evented(timeline, track, originNs, frames, json);
                }
            }
            json.writeEndArray();
            frames.write(json);
            json.writeEndObject();
        }
    }

    private static long originNs(Timeline timeline) {
        long first = Long.MAX_VALUE;
        for (int row = 0; row < timeline.rowCount(); row++) {
            first = timeline.isCaptured(row) ? first : Math.min(first, timeline.startNs(row));
        }
        return first;
    }

    private static void head(String type, Timeline timeline, Track track, long startNs, long endNs, JsonGenerator json)
            throws IOException {
        json.writeStringField("type", type);
        json.writeStringField("name", SpeedscopeFrameTable.encodable(TrackNames.full(timeline, track)));
        json.writeStringField("unit", "nanoseconds");
        json.writeNumberField("startValue", startNs);
        json.writeNumberField("endValue", endNs);
    }

    private static void evented(
            Timeline timeline, Track track, long originNs, SpeedscopeFrameTable frames, JsonGenerator json)
            throws IOException {
        long startNs = Long.MAX_VALUE;
        long endNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
            if (NestedRanges.isRange(timeline, row)) {
                startNs = Math.min(startNs, timeline.startNs(row) - originNs);
                endNs = Math.max(endNs, timeline.endNs(row) - originNs);
            }
        }
        json.writeStartObject();
        head("evented", timeline, track, startNs, endNs, json);
        json.writeArrayFieldStart("events");
        SpeedscopeEvents events = new SpeedscopeEvents(timeline, originNs, frames, json);
        NestedRanges.visit(timeline, track.id(), events);
        events.rethrow();
        json.writeEndArray();
        json.writeEndObject();
    }

    private static boolean hasStacks(Timeline timeline, Track track) {
        for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
            if (isSample(timeline, row)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSample(Timeline timeline, int row) {
        return timeline.kind(row) == RowKind.STACK_SAMPLE
                && timeline.attribute(row, Attribute.STACK) != Attribute.ABSENT;
    }

    /** Writes a sampled profile. Samples have weights but no times, so a gap becomes a sample without frames. */
    private static void sampled(
            Timeline timeline, Track track, long originNs, SpeedscopeFrameTable frames, JsonGenerator json)
            throws IOException {
        SpeedscopeWeights weights = new SpeedscopeWeights();
        for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
            if (isSample(timeline, row)) {
                weights.add(timeline, row, originNs);
            }
        }
        json.writeStartObject();
        head("sampled", timeline, track, weights.startNs(), weights.endNs(), json);
        weights.write(timeline, frames, json);
        json.writeEndObject();
    }
}

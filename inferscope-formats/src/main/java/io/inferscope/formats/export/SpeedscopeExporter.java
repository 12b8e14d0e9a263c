package io.inferscope.formats.export;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.formats.common.Exporter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

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
            FrameTable frames = new FrameTable();
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
        return timeline.rows()
                .filter(row -> !timeline.isCaptured(row))
                .mapToLong(timeline::startNs)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private static void head(String type, Timeline timeline, Track track, long startNs, long endNs, JsonGenerator json)
            throws IOException {
        json.writeStringField("type", type);
        json.writeStringField("name", FrameTable.encodable(TrackNames.full(timeline, track)));
        json.writeStringField("unit", "nanoseconds");
        json.writeNumberField("startValue", startNs);
        json.writeNumberField("endValue", endNs);
    }

    private static void evented(Timeline timeline, Track track, long originNs, FrameTable frames, JsonGenerator json)
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
        return timeline.rows(track.id()).anyMatch(row -> isSample(timeline, row));
    }

    private static boolean isSample(Timeline timeline, int row) {
        return timeline.kind(row) == RowKind.STACK_SAMPLE
                && timeline.attribute(row, Attribute.STACK) != Attribute.ABSENT;
    }

    /** Writes a sampled profile. Samples have weights but no times, so a gap becomes a sample without frames. */
    private static void sampled(Timeline timeline, Track track, long originNs, FrameTable frames, JsonGenerator json)
            throws IOException {
        SpeedscopeWeights weights = new SpeedscopeWeights();
        timeline.rows(track.id())
                .filter(row -> isSample(timeline, row))
                .forEach(row -> weights.add(timeline, row, originNs));
        json.writeStartObject();
        head("sampled", timeline, track, weights.startNs(), weights.endNs(), json);
        weights.write(timeline, frames, json);
        json.writeEndObject();
    }

    /** The samples of one thread, one after the other without gap or overlap. */
    private static final class SpeedscopeWeights {
        private static final int NO_STACK = -1;

        private final List<Integer> stacks = new ArrayList<>();
        private final List<Long> weightsNs = new ArrayList<>();
        private long startNs;
        private long endNs;

        void add(Timeline timeline, int row, long originNs) {
            long rowStartNs = timeline.startNs(row) - originNs;
            long rowEndNs = timeline.endNs(row) - originNs;
            if (stacks.isEmpty()) {
                startNs = rowStartNs;
                endNs = rowStartNs;
            }
            if (rowStartNs > endNs) {
                stacks.add(NO_STACK);
                weightsNs.add(rowStartNs - endNs);
                endNs = rowStartNs;
            }
            stacks.add((int) timeline.attribute(row, Attribute.STACK));
            weightsNs.add(Math.max(0, rowEndNs - endNs));
            endNs = Math.max(endNs, rowEndNs);
        }

        long startNs() {
            return startNs;
        }

        long endNs() {
            return endNs;
        }

        void write(Timeline timeline, FrameTable frames, JsonGenerator json) throws IOException {
            json.writeArrayFieldStart("samples");
            for (int stack : stacks) {
                json.writeStartArray();
                if (stack != NO_STACK) {
                    for (String frame : timeline.stacks().frames(stack)) {
                        json.writeNumber(frames.of(frame));
                    }
                }
                json.writeEndArray();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("weights");
            for (long weightNs : weightsNs) {
                json.writeNumber(weightNs);
            }
            json.writeEndArray();
        }
    }

    /** Writes openings and closings as speedscope's events. */
    private static final class SpeedscopeEvents implements NestedRanges.Visitor {
        private final Timeline timeline;
        private final long originNs;
        private final FrameTable frames;
        private final JsonGenerator json;
        private @Nullable IOException failure;

        SpeedscopeEvents(Timeline timeline, long originNs, FrameTable frames, JsonGenerator json) {
            this.timeline = timeline;
            this.originNs = originNs;
            this.frames = frames;
            this.json = json;
        }

        @Override
        public void open(int row, long atNs) {
            event("O", row, atNs);
        }

        @Override
        public void close(int row, long atNs) {
            event("C", row, atNs);
        }

        private void event(String type, int row, long atNs) {
            try {
                json.writeStartObject();
                json.writeStringField("type", type);
                json.writeNumberField("frame", frames.of(timeline.name(row)));
                json.writeNumberField("at", atNs - originNs);
                json.writeEndObject();
            } catch (IOException e) {
                failure = e;
            }
        }

        /** Throws the exception of visiting, if there was one. */
        void rethrow() throws IOException {
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** The frames that all profiles share, numbered in the order in which they were first seen. */
    private static final class FrameTable {
        private final Map<String, Integer> numbers = new LinkedHashMap<>();

        int of(String name) {
            Integer known = numbers.get(name);
            if (known != null) {
                return known;
            }
            numbers.put(name, numbers.size());
            return numbers.size() - 1;
        }

        void write(JsonGenerator json) throws IOException {
            json.writeObjectFieldStart("shared");
            json.writeArrayFieldStart("frames");
            for (String name : numbers.keySet()) {
                json.writeStartObject();
                json.writeStringField("name", name.isEmpty() ? "(no name)" : encodable(name));
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }

        /** Returns a text with half surrogate pairs, which UTF-8 cannot hold, replaced. */
        static String encodable(String text) {
            return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        }
    }
}

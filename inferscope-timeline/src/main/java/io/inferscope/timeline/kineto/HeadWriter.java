package io.inferscope.timeline.kineto;

import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.io.IOException;
import java.util.Map;

/** Writes the members before the event list: those that other tools read, and {@code inferscope}. */
final class HeadWriter {
    /**
     * Version of the member {@code inferscope}: version 1 had no clocks, and no tracks, links or properties among the
     * events.
     */
    private static final int VERSION = 2;

    private final Timeline timeline;
    private final JsonGenerator json;
    private final KinetoMembers texts;

    HeadWriter(Timeline timeline, JsonGenerator json) {
        this.timeline = timeline;
        this.json = json;
        this.texts = new KinetoMembers(json);
    }

    void write(boolean linksAreDeclared) throws IOException {
        json.writeNumberField("schemaVersion", 1);
        json.writeNumberField("baseTimeNanoseconds", timeline.originUnixNs());
        json.writeStringField("displayTimeUnit", "ms");
        properties();
        devices();
        recording(linksAreDeclared);
        stackFrames();
    }

    /** Writes the format's own dictionary of frames, to which events refer by {@code sf}; viewers show it. */
    private void stackFrames() throws IOException {
        Stacks stacks = timeline.stacks();
        if (stacks.count() == 0) {
            return;
        }
        json.writeObjectFieldStart("stackFrames");
        for (int stack = 0; stack < stacks.count(); stack++) {
            json.writeObjectFieldStart(Integer.toString(stack));
            texts.text("name", stacks.text(stack));
            Frame.Language language = stacks.frame(stack).language();
            if (Frame.of(stacks.text(stack)).language() != language) {
                json.writeStringField("category", language.label());
            }
            if (stacks.caller(stack) >= 0) {
                json.writeStringField("parent", Integer.toString(stacks.caller(stack)));
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    /** Facts that Kineto has a place for. */
    private void properties() throws IOException {
        for (Map.Entry<String, String> property : timeline.properties().entrySet()) {
            String key = property.getKey();
            if (KinetoProperties.isOfHead(key)) {
                texts.id(key, property.getValue());
            }
        }
        if (timeline.properties().containsKey("distributedInfo.rank")) {
            json.writeObjectFieldStart("distributedInfo");
            for (String key : new String[] {"backend", "rank", "world_size"}) {
                String value = timeline.properties().get("distributedInfo." + key);
                if (value != null) {
                    texts.id(key, value);
                }
            }
            json.writeEndObject();
        }
    }

    private void devices() throws IOException {
        json.writeArrayFieldStart("deviceProperties");
        for (Track track : timeline.tracks()) {
            String name = DeviceFact.NAME.of(timeline, track.key());
            if (track.kind() == TrackKind.DEVICE && !name.isEmpty()) {
                json.writeStartObject();
                texts.id("id", track.key());
                texts.text("name", name);
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    private void recording(boolean linksAreDeclared) throws IOException {
        json.writeObjectFieldStart("inferscope");
        json.writeNumberField("version", VERSION);
        if (linksAreDeclared) {
            json.writeStringField("links", "declared");
        }
        clocks();
        coverage();
        overheads();
        json.writeEndObject();
    }

    private void clocks() throws IOException {
        json.writeArrayFieldStart("clocks");
        for (ClockDomain domain : timeline.info().clockDomains()) {
            json.writeStartObject();
            texts.text("name", domain.name());
            json.writeNumberField("anchors", domain.anchors());
            json.writeNumberField("error_bound_ns", domain.errorBoundNs());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void coverage() throws IOException {
        json.writeArrayFieldStart("coverage");
        for (TimelineInfo.Coverage coverage : timeline.info().coverage()) {
            json.writeStartObject();
            texts.text("source", coverage.source());
            json.writeNumberField("recorded", coverage.recorded());
            json.writeNumberField("missing", coverage.missing());
            texts.text("why", coverage.why());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void overheads() throws IOException {
        json.writeArrayFieldStart("overheads");
        for (TimelineInfo.RecorderOverhead overhead : timeline.info().overheads()) {
            json.writeStartObject();
            texts.text("recorder", overhead.recorder());
            json.writeNumberField("cpu_ns", overhead.cpuNs());
            json.writeNumberField("held_up_ns", overhead.heldUpNs());
            json.writeNumberField("events", overhead.events());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}

package io.inferscope.formats.export;

import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.Timeline;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes openings and closings as speedscope's events. */
final class SpeedscopeEvents implements NestedRanges.Visitor {
    private final Timeline timeline;
    private final long originNs;
    private final SpeedscopeFrameTable frames;
    private final JsonGenerator json;
    private @Nullable IOException failure;

    SpeedscopeEvents(Timeline timeline, long originNs, SpeedscopeFrameTable frames, JsonGenerator json) {
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

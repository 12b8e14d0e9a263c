package io.inferscope.timeline.kineto;

import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.io.IOException;

/**
 * Writes the critical path as a separate track, under a versioned category by which the import recognises and ignores
 * it. A piece is a pair of begin and end events: viewers draw it like any range, but HTA and TraceLens, which count
 * only complete events, do not count it as a further call of an operator.
 */
final class OverlayWriter implements Overlay.Pieces {
    private static final String CATEGORY = "inferscope.critical_path";
    private static final String VERSION = ".v1";
    private static final String TRACK = "critical path";

    private final JsonGenerator json;
    private final KinetoMembers texts;

    OverlayWriter(JsonGenerator json) {
        this.json = json;
        this.texts = new KinetoMembers(json);
    }

    /** Returns whether an event was written here, by whatever version. */
    static boolean isOverlay(TraceEvent event) {
        return event.category().startsWith(CATEGORY);
    }

    @Override
    public void piece(String name, String cause, String on, String where, long startNs, long endNs) throws IOException {
        String title = name.isEmpty() ? cause : name;
        begin("B", title, startNs);
        json.writeObjectFieldStart("args");
        json.writeStringField("cause", cause);
        texts.text("on", on);
        texts.text("at", where);
        json.writeEndObject();
        json.writeEndObject();
        begin("E", title, endNs);
        json.writeEndObject();
    }

    private void begin(String phase, String title, long ns) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", phase);
        json.writeStringField("cat", CATEGORY + VERSION);
        texts.text("name", title);
        json.writeStringField("pid", TRACK);
        json.writeStringField("tid", TRACK);
        texts.micros("ts", ns);
    }
}

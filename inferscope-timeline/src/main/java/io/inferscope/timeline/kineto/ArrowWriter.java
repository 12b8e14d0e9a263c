package io.inferscope.timeline.kineto;

import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.Timeline;
import java.io.IOException;
import java.util.BitSet;

/**
 * Writes the arrows that viewers draw from launches to operations. They are not read back, because correlation ids
 * contain the same links.
 */
final class ArrowWriter {
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

package io.inferscope.timeline.kineto;

import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.traceevent.Arg;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Writes the metadata events: names for viewers, and what {@link LosslessMetadata} reads. */
final class DeclarationWriter {
    private static final String LABELS = "process_labels";
    /** Kineto sorts devices below processes by such an offset: its output_json.cpp. */
    private static final int DEVICES_LAST = 5_000_000;

    private final Timeline timeline;
    private final JsonGenerator json;
    private final KinetoMembers texts;
    private final Set<String> processKeys = new HashSet<>();

    DeclarationWriter(Timeline timeline, JsonGenerator json) {
        this.timeline = timeline;
        this.json = json;
        this.texts = new KinetoMembers(json);
    }

    void write(LinksToDeclare toDeclare) throws IOException {
        for (Map.Entry<String, String> property : timeline.properties().entrySet()) {
            begin(LABELS, "0");
            json.writeStringField("labels", "");
            texts.text(Arg.PROPERTY.key(), property.getKey());
            texts.text(Arg.VALUE.key(), property.getValue());
            end();
        }
        timeline.tracks(TrackKind.PROCESS).forEach(process -> processKeys.add(process.key()));
        for (Track track : timeline.tracks()) {
            names(track);
            if (track.kind() == TrackKind.PROCESS
                    || (track.kind() == TrackKind.DEVICE && !processKeys.contains(track.key()))) {
                labels(track);
            }
            track(track);
        }
        Links links = timeline.links();
        for (int link = 0; link < links.count(); link++) {
            if (toDeclare.isDeclared(link)) {
                link(links, link);
            }
        }
    }

    private void begin(String name, String pid) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", "M");
        json.writeStringField("name", name);
        texts.id("pid", pid);
        json.writeObjectFieldStart("args");
    }

    private void end() throws IOException {
        json.writeEndObject();
        json.writeEndObject();
    }

    /**
     * Writes names for viewers. A track named like its key needs none; a device whose number is also a process id gets
     * none.
     */
    private void names(Track track) throws IOException {
        Track root = track.parent() < 0 ? track : timeline.tracks().get(track.parent());
        boolean device = root.kind() == TrackKind.DEVICE;
        boolean named =
                device ? !processKeys.contains(root.key()) : !track.name().equals(track.key());
        if (!named || track.kind() == TrackKind.COUNTER || track.kind() == TrackKind.REQUEST) {
            return;
        }
        boolean isRoot = track.parent() < 0;
        json.writeStartObject();
        json.writeStringField("ph", "M");
        json.writeStringField("name", isRoot ? "process_name" : "thread_name");
        texts.id("pid", root.key());
        texts.id("tid", isRoot ? "0" : EventPlaces.lane(track));
        json.writeObjectFieldStart("args");
        texts.text(Arg.NAME.key(), device && isRoot ? "device " + track.name() : track.name());
        end();
    }

    private void labels(Track root) throws IOException {
        begin(LABELS, root.key());
        json.writeStringField("labels", root.kind() == TrackKind.DEVICE ? "GPU " + root.key() : "CPU");
        end();
    }

    private void track(Track track) throws IOException {
        Track root = track.parent() < 0 ? track : timeline.tracks().get(track.parent());
        boolean lane = track.kind() != TrackKind.COUNTER && track.parent() >= 0;
        json.writeStartObject();
        json.writeStringField("ph", "M");
        json.writeStringField("name", lane ? "thread_sort_index" : "process_sort_index");
        texts.id("pid", root.kind() == TrackKind.COUNTER ? "0" : root.key());
        texts.id("tid", lane ? EventPlaces.lane(track) : "0");
        json.writeObjectFieldStart("args");
        Track sorted = lane ? track : root;
        json.writeNumberField("sort_index", sorted.id() + (root.kind() == TrackKind.DEVICE ? DEVICES_LAST : 0));
        json.writeStringField(Arg.TRACK.key(), EventPlaces.trackId(track.id()));
        json.writeStringField(Arg.KIND.key(), track.kind().name());
        if (track.parent() >= 0) {
            json.writeStringField(Arg.TRACK_PARENT.key(), EventPlaces.trackId(track.parent()));
        }
        texts.text(Arg.TRACK_KEY.key(), track.key());
        texts.text(Arg.NAME.key(), track.name());
        end();
    }

    private void link(Links links, int link) throws IOException {
        begin(LABELS, "0");
        json.writeStringField("labels", "");
        json.writeStringField(Arg.KIND.key(), links.kind(link).name());
        json.writeNumberField(Arg.LINK_FROM.key(), links.fromRow(link));
        json.writeNumberField(Arg.LINK_TO.key(), links.toRow(link));
        json.writeNumberField(Arg.LINK_CONFIDENCE.key(), links.confidencePercent(link));
        end();
    }
}

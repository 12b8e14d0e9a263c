package io.inferscope.timeline.kineto;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tracks, links and properties, which {@link KinetoExporter} writes as arguments of metadata events because Kineto's
 * format has no place for them. The events have known names, because TraceLens fails at unknown ones.
 */
final class LosslessMetadata {
    private final TimelineBuilder builder;
    private final Map<String, Known> tracks = new HashMap<>();
    private final Map<Integer, String> trackNames = new HashMap<>();
    private final Map<Long, Integer> rows = new HashMap<>();
    private final List<Link> links = new ArrayList<>();
    private final Map<String, String> properties = new HashMap<>();

    private record Known(int track, TrackKind kind) {}

    private record Link(LinkKind kind, long from, long to, int confidencePercent, long offsetBytes) {}

    LosslessMetadata(TimelineBuilder builder) {
        this.builder = builder;
    }

    void clear() {
        tracks.clear();
        trackNames.clear();
        rows.clear();
        links.clear();
        properties.clear();
    }

    /** Reads a metadata event; an invalid one is counted. */
    void take(TraceEvent event) {
        if (event.has(Arg.TRACK_KEY)) {
            track(event);
        } else if (event.has(Arg.LINK_FROM)) {
            link(event);
        } else if (event.has(Arg.PROPERTY)) {
            properties.put(event.text(Arg.PROPERTY, ""), event.text(Arg.VALUE, ""));
        }
    }

    private void track(TraceEvent event) {
        TrackKind kind = constant(TrackKind.values(), event.text(Arg.KIND, ""), TrackKind.COUNTER);
        Known parent = tracks.get(event.text(Arg.TRACK_PARENT, ""));
        boolean sensible = kind.mayBelongTo(parent == null ? null : parent.kind)
                && (parent != null || !event.has(Arg.TRACK_PARENT));
        if (sensible) {
            int track = builder.track(kind, parent == null ? -1 : parent.track, event.text(Arg.TRACK_KEY, ""));
            tracks.put(event.text(Arg.TRACK, ""), new Known(track, kind));
            trackNames.put(track, event.text(Arg.NAME, ""));
        } else {
            bad(event);
        }
    }

    private void bad(TraceEvent event) {
        builder.stats().count(Reason.BAD_DECLARATION, event.offsetBytes(), event.name());
    }

    private void link(TraceEvent event) {
        LinkKind kind = constant(LinkKind.values(), event.text(Arg.KIND, ""), LinkKind.HAND_OVER);
        long confidence = event.number(Arg.LINK_CONFIDENCE, 100);
        links.add(new Link(
                kind,
                event.number(Arg.LINK_FROM, -1),
                event.number(Arg.LINK_TO, -1),
                (int) Math.max(0, Math.min(100, confidence)),
                event.offsetBytes()));
    }

    static <E extends Enum<E>> E constant(E[] values, String name, E otherwise) {
        for (E value : values) {
            if (value.name().equals(name)) {
                return value;
            }
        }
        return otherwise;
    }

    /** Returns the track that an event of a kind names; -1 if it names none, or one that cannot have such rows. */
    int trackOf(TraceEvent event, RowKind kind) {
        if (!event.has(Arg.TRACK)) {
            return -1;
        }
        Known known = tracks.get(event.text(Arg.TRACK, ""));
        if (known == null || (known.kind != TrackKind.STREAM && kind.isOnStream())) {
            bad(event);
            return -1;
        }
        return known.track;
    }

    /** Notes the row of an event that links may refer to. */
    void row(TraceEvent event, int handle) {
        if (event.has(Arg.ROW)) {
            rows.put(event.number(Arg.ROW, -1), handle);
        }
    }

    /** Returns the declared properties by name. */
    Map<String, String> properties() {
        return properties;
    }

    /** Names the tracks and adds the links. */
    void finish() {
        trackNames.forEach(builder::trackName);
        for (Link link : links) {
            Integer from = rows.get(link.from);
            Integer to = rows.get(link.to);
            if (from == null || to == null) {
                builder.stats().count(Reason.BAD_DECLARATION, link.offsetBytes, link.kind.name());
            } else {
                builder.link(link.kind, from, to, link.confidencePercent);
            }
        }
    }
}

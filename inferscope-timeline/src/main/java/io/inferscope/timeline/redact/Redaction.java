package io.inferscope.timeline.redact;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import io.inferscope.timeline.Track;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Removes private text from a timeline: from names, attributes, stack frames, tracks, properties and coverage. Times,
 * numbers and structure stay. docs/convert.md lists what is removed.
 */
public final class Redaction {
    /** The property that marks a redacted timeline. */
    public static final String PROPERTY = "inferscope.redacted";

    private static final String ENVIRONMENT = "(?i).*\\benv(ironment|iron)?\\b.*";

    private final Timeline timeline;
    private final TimelineBuilder builder = new TimelineBuilder();
    private final PrivateText privateText;
    private final Map<String, String> clean = new HashMap<>();

    private Redaction(Timeline timeline) {
        this.timeline = timeline;
        this.privateText = PrivateText.learning(texts(timeline));
    }

    /** Returns a redacted copy. The same timeline gives the same copy, and texts that were equal stay equal. */
    public static Timeline of(Timeline timeline) {
        Redaction redaction = new Redaction(timeline);
        redaction.rows(redaction.tracks());
        redaction.info();
        return redaction.builder.build(timeline.info().format());
    }

    /**
     * Returns what removes private text from texts about a timeline, as {@link #of} does from its own.
     *
     * @param timeline from which users' names are learned; null for a recording that could not be read
     */
    public static UnaryOperator<String> cleaner(@Nullable Timeline timeline) {
        Set<String> texts = new HashSet<>();
        if (timeline != null) {
            texts.addAll(infoTexts(timeline));
            timeline.names().forEach(texts::add);
        }
        PrivateText learned = PrivateText.learning(texts);
        Map<String, String> known = new HashMap<>();
        return text -> known.computeIfAbsent(text, learned::redacted);
    }

    /** Returns every text that a timeline holds. */
    public static Set<String> texts(Timeline timeline) {
        Set<String> texts = new HashSet<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            texts.add(timeline.name(row));
            for (Attribute attribute : Attribute.values()) {
                if (attribute.isText()) {
                    texts.add(timeline.attributeText(row, attribute));
                }
            }
        }
        texts.addAll(infoTexts(timeline));
        return texts;
    }

    /** Returns the texts that are not of rows. */
    private static Set<String> infoTexts(Timeline timeline) {
        Set<String> texts = new HashSet<>();
        for (int stack = 0; stack < timeline.stacks().count(); stack++) {
            texts.add(timeline.stacks().text(stack));
        }
        for (Track track : timeline.tracks()) {
            texts.add(track.key());
            texts.add(track.name());
        }
        timeline.properties().forEach((key, value) -> {
            texts.add(key);
            texts.add(value);
        });
        for (Coverage coverage : timeline.info().coverage()) {
            texts.add(coverage.source());
            texts.add(coverage.why());
        }
        return texts;
    }

    private String clean(String text) {
        return clean.computeIfAbsent(text, privateText::redacted);
    }

    private int[] tracks() {
        int[] tracks = new int[timeline.tracks().size()];
        Set<String> taken = new HashSet<>();
        for (Track track : timeline.tracks()) {
            int parent = track.parent() < 0 ? -1 : tracks[track.parent()];
            String key = unused(track.kind() + " " + parent + " ", clean(track.key()), taken);
            tracks[track.id()] = builder.track(track.kind(), parent, key);
            builder.trackName(tracks[track.id()], clean(track.name()));
        }
        return tracks;
    }

    /** Keys that differed must differ still. */
    private static String unused(String scope, String key, Set<String> taken) {
        String unused = key;
        for (int i = 2; !taken.add(scope + unused); i++) {
            unused = key + " (" + i + ")";
        }
        return unused;
    }

    private void rows(int[] tracks) {
        int[] handles = new int[timeline.rowCount()];
        int[] stacks = stacks();
        for (int row = 0; row < handles.length; row++) {
            int name = builder.name(clean(timeline.name(row)));
            int track = tracks[timeline.track(row)];
            handles[row] = builder.row(timeline.kind(row), track, timeline.startNs(row), timeline.endNs(row), name);
            builder.correlation(handles[row], timeline.correlation(row));
            for (Attribute attribute : Attribute.values()) {
                long value = timeline.attribute(row, attribute);
                if (value != Attribute.ABSENT) {
                    builder.attribute(handles[row], attribute, value(attribute, value, stacks));
                }
            }
        }
        Links links = timeline.links();
        for (int i = 0; i < links.count(); i++) {
            int from = handles[links.fromRow(i)];
            builder.link(links.kind(i), from, handles[links.toRow(i)], links.confidencePercent(i));
        }
    }

    private int[] stacks() {
        int[] stacks = new int[timeline.stacks().count()];
        for (int stack = 0; stack < stacks.length; stack++) {
            int caller = timeline.stacks().caller(stack);
            String text = clean(timeline.stacks().text(stack));
            Frame frame = Frame.of(text).in(timeline.stacks().frame(stack).language());
            stacks[stack] = builder.stack(caller < 0 ? -1 : stacks[caller], builder.frame(text, frame));
        }
        return stacks;
    }

    private long value(Attribute attribute, long value, int[] stacks) {
        if (attribute == Attribute.STACK) {
            return stacks[(int) value];
        }
        return attribute.isText() ? builder.name(clean(timeline.text(value))) : value;
    }

    private void info() {
        builder.originUnixNs(timeline.originUnixNs());
        for (ClockDomain domain : timeline.info().clockDomains()) {
            builder.clockDomain(new ClockDomain(clean(domain.name()), domain.anchors(), domain.errorBoundNs()));
        }
        for (Coverage said : timeline.info().coverage()) {
            builder.coverage(new Coverage(clean(said.source()), said.recorded(), said.missing(), clean(said.why())));
        }
        for (RecorderOverhead said : timeline.info().overheads()) {
            builder.overhead(
                    new RecorderOverhead(clean(said.recorder()), said.cpuNs(), said.heldUpNs(), said.events()));
        }
        Set<String> taken = new HashSet<>();
        timeline.properties().forEach((key, value) -> {
            if (!key.matches(ENVIRONMENT)) {
                boolean secret = PrivateText.isSecretKey(key);
                builder.property(unused("", clean(key), taken), secret ? PrivateText.REDACTED : clean(value));
            }
        });
        builder.property(PROPERTY, "1");
    }
}

package io.inferscope.formats.export;

import io.inferscope.formats.common.Exporter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.files.WholeFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Folded stacks, {@code outer;inner 12}, the input of flame graph programs. Counts are microseconds of self time, from
 * a thread's stack samples or, without samples, its nested ranges; from a stream's operations.
 */
public final class FoldedExporter extends Exporter {
    private static final int NS_PER_US = 1000;

    /**
     * Most frames of a line. Each line repeats all frames of its stack, so n nested calls would take n * n / 2 frames.
     */
    private static final int DEEPEST = 256;

    /** Replaces the frames between the outermost ones and the innermost. */
    private static final String DEEPER = ";(deeper);";

    public FoldedExporter() {
        super("folded", ".folded", ".collapsed", ".txt");
    }

    @Override
    public String leftOut(Timeline timeline) {
        return NestedRanges.cutRanges(
                timeline, "the order in time, attributes, links, marks, counters and thread states");
    }

    @Override
    public void write(Timeline timeline, Path output) throws IOException {
        WholeFile.write(output, out -> {
            Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
            for (Track track : timeline.tracks()) {
                lines(selfTimes(timeline, track), writer);
            }
            writer.flush();
        });
    }

    /**
     * Rounds such that the counts of a track sum to its time, by passing the remainder of each line to the next one.
     */
    private static void lines(Map<String, Long> selfNs, Writer writer) throws IOException {
        long sumNs = 0;
        long written = 0;
        for (Map.Entry<String, Long> line : selfNs.entrySet()) {
            sumNs += line.getValue();
            long count = (sumNs + NS_PER_US / 2) / NS_PER_US - written;
            written += count;
            if (count > 0) {
                writer.write(line.getKey() + ' ' + count + '\n');
            }
        }
    }

    /** Returns the self time of each stack of a track, in ns, sorted by stack. */
    private static Map<String, Long> selfTimes(Timeline timeline, Track track) {
        Map<String, Long> selfNs = new TreeMap<>();
        if (!samples(timeline, track, selfNs) && NestedRanges.isAnyOn(timeline, track.id())) {
            NestedRanges.visit(timeline, track.id(), new SelfTime(timeline, prefix(timeline, track), selfNs));
        }
        return selfNs;
    }

    private static String prefix(Timeline timeline, Track track) {
        return frame(TrackNames.owner(timeline, track)) + ';' + frame(TrackNames.lane(track));
    }

    private static boolean samples(Timeline timeline, Track track, Map<String, Long> selfNs) {
        boolean any = false;
        for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
            long stack = timeline.attribute(row, Attribute.STACK);
            if (timeline.kind(row) == RowKind.STACK_SAMPLE && stack != Attribute.ABSENT) {
                StringBuilder text = new StringBuilder(prefix(timeline, track));
                List<String> frames = timeline.stacks().frames((int) stack);
                frames.stream().limit(DEEPEST).forEach(frame -> text.append(';').append(frame(frame)));
                if (frames.size() > DEEPEST) {
                    text.append(DEEPER).append(frame(frames.get(frames.size() - 1)));
                }
                selfNs.merge(text.toString(), timeline.durationNs(row), Long::sum);
                any = true;
            }
        }
        return any;
    }

    /** Returns a frame's text without separators of frames and lines, and without control characters. */
    private static String frame(String name) {
        String clean = name.replace(';', ',')
                .replaceAll("[\\s\\p{Cntrl}\\x80-\\x9f]+", " ")
                .strip();
        return clean.isEmpty() ? "(no name)" : clean;
    }

    /** Adds the time between two openings or closings to the open stack. */
    private static final class SelfTime implements NestedRanges.Visitor {
        private final Timeline timeline;
        private final Map<String, Long> selfNs;
        private final Deque<String> open = new ArrayDeque<>();
        private final Map<Integer, String> frames = new HashMap<>();
        private String deepest;
        private long sinceNs;

        SelfTime(Timeline timeline, String prefix, Map<String, Long> selfNs) {
            this.timeline = timeline;
            this.selfNs = selfNs;
            open.push(prefix);
            deepest = prefix;
        }

        @Override
        public void open(int row, long atNs) {
            pass(atNs);
            String frame = frames.computeIfAbsent(timeline.nameId(row), id -> frame(timeline.text(id)));
            if (open.size() <= DEEPEST) {
                deepest = open.element() + ';' + frame;
                open.push(deepest);
            } else {
                open.push(deepest + DEEPER + frame);
            }
        }

        @Override
        public void close(int row, long atNs) {
            pass(atNs);
            open.pop();
            deepest = open.size() <= DEEPEST + 1 ? open.element() : deepest;
        }

        private void pass(long atNs) {
            if (open.size() > 1 && atNs > sinceNs) {
                selfNs.merge(open.element(), atNs - sinceNs, Long::sum);
            }
            sinceNs = atNs;
        }
    }
}

package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.List;

/** The counters of the machine, of control groups and of processes' memory: those whose name begins with {@code host.}. */
final class MachineFigures {
    private static final String PREFIX = "host.";
    private static final int MOST = 100;

    private MachineFigures() {}

    static List<CounterFigures> of(Timeline timeline) {
        List<CounterFigures> figures = new ArrayList<>();
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.COUNTER && track.key().startsWith(PREFIX) && figures.size() < MOST) {
                CounterFigures counter = counter(timeline, track);
                if (counter.samples() > 0) {
                    figures.add(counter);
                }
            }
        }
        return figures;
    }

    private static CounterFigures counter(Timeline timeline, Track track) {
        long samples = 0;
        double first = 0;
        double last = 0;
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        for (int row = timeline.firstRow(track.id()); row < timeline.endRow(track.id()); row++) {
            long bits = timeline.attribute(row, Attribute.COUNTER_VALUE);
            double value = Double.longBitsToDouble(bits);
            if (timeline.kind(row) == RowKind.COUNTER && bits != Attribute.ABSENT && Double.isFinite(value)) {
                first = samples++ == 0 ? value : first;
                last = value;
                least = Math.min(least, value);
                most = Math.max(most, value);
            }
        }
        String process =
                track.parent() < 0 ? "" : timeline.tracks().get(track.parent()).name();
        return new CounterFigures(process, track.key(), samples, first, last, least, most);
    }
}

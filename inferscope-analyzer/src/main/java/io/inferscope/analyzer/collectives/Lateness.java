package io.inferscope.analyzer.collectives;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a GPU did while others waited for it in collectives, from the first GPU's arrival to its own: the causes of its
 * lateness.
 *
 * <pre>
 *   GPU 0   ####[--------waiting--------|transfer]
 *   GPU 1   ########......####..........[transfer]
 *               <----- its lateness --->
 * </pre>
 */
public final class Lateness {
    private final Analysis analysis;
    private final DeviceActivity late;
    private final Intervals times;
    private final long unrecordedNs;
    private final Map<LedgerClass, Long> causes = new EnumMap<>(LedgerClass.class);
    private final Map<LedgerClass, Map<Integer, Long>> rows = new EnumMap<>(LedgerClass.class);

    private Lateness(Analysis analysis, DeviceActivity late, Intervals times) {
        this.analysis = analysis;
        this.late = late;
        this.times = times.clip(beginsNs(analysis.timeline(), late), Long.MAX_VALUE);
        this.unrecordedNs = times.totalNs() - this.times.totalNs();
    }

    /** Returns when the recording of a GPU's rank begins. Recordings of ranks do not begin together. */
    private static long beginsNs(Timeline timeline, DeviceActivity device) {
        int end = device.id().indexOf(": ");
        if (end < 0) {
            return Long.MIN_VALUE;
        }
        String rank = device.id().substring(0, end + 2);
        long begins = device.firstNs();
        for (Track track : timeline.tracks()) {
            Track root = track;
            while (root.parent() >= 0) {
                root = timeline.tracks().get(root.parent());
            }
            if (root.key().startsWith(rank)
                    && track.kind() != TrackKind.CAPTURE
                    && timeline.firstRow(track.id()) < timeline.endRow(track.id())) {
                begins = Math.min(begins, timeline.startNs(timeline.firstRow(track.id())));
            }
        }
        return begins;
    }

    /** Explains why a GPU arrived last at collectives. */
    static Lateness of(Analysis analysis, DeviceActivity late, List<Collective> collectives) {
        Intervals.Builder builder = new Intervals.Builder(16);
        collectives.forEach(collective ->
                builder.add(collective.firstNs(), collective.last().startNs()));
        Lateness lateness = new Lateness(analysis, late, builder.build());
        lateness.explain();
        return lateness;
    }

    private void explain() {
        for (LedgerClass busy : LedgerClass.values()) {
            add(busy, -1, late.exposed(busy).intersect(times).totalNs());
        }
        analysis.blameOf(late).explain(new IdleBlame.Pieces() {
            private long atNs;

            @Override
            public void gap(long startNs, long endNs) {
                atNs = startNs;
            }

            /** Takes the pieces of a gap in the order of time; they sum to the gap. */
            @Override
            public void take(int row, int sample, LedgerClass cause, long ns) {
                add(cause, row, times.clip(atNs, atNs + ns).totalNs());
                atNs += ns;
            }
        });
    }

    private void add(LedgerClass cause, int row, long ns) {
        if (ns > 0) {
            causes.merge(cause, ns, Long::sum);
            if (row >= 0) {
                rows.computeIfAbsent(cause, unseen -> new HashMap<>())
                        .merge(analysis.timeline().nameId(row), ns, Long::sum);
            }
        }
    }

    /** Returns how long others waited before the recording of the late GPU begins, in ns. */
    public long unrecordedNs() {
        return unrecordedNs;
    }

    /** Returns the times of the GPU's lateness by cause, the longest first. */
    public List<Map.Entry<LedgerClass, Long>> causes() {
        return causes.entrySet().stream()
                .sorted(Map.Entry.<LedgerClass, Long>comparingByValue().reversed())
                .toList();
    }

    /** Returns the name of the row with most of a cause's time; empty if no row has any. */
    public String place(LedgerClass cause) {
        return rows.getOrDefault(cause, Map.of()).entrySet().stream()
                .max(Map.Entry.<Integer, Long>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .map(entry -> analysis.timeline().text(entry.getKey()))
                .orElse("");
    }
}

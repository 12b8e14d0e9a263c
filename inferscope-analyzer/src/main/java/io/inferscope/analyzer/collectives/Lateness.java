package io.inferscope.analyzer.collectives;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.collectives.Collective.Arrival;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Why a GPU arrived late at collectives. All GPUs leave a collective together, so its time since then is compared with
 * that of the GPU that arrived first: the classes in which it spent more time made it late.
 *
 * <pre>
 *   GPU 0   transfer]####[--------waiting--------|transfer]
 *   GPU 1   transfer]..........####..............[transfer]
 *                    <-- compared --->
 * </pre>
 *
 * <p>If there is no earlier collective and no common beginning of the recordings, the GPU's time while others waited
 * counts.
 */
public final class Lateness {
    private final Analysis analysis;
    private final Map<LedgerClass, Long> causes = new EnumMap<>(LedgerClass.class);
    private final Map<LedgerClass, Map<Integer, Long>> rows = new EnumMap<>(LedgerClass.class);
    private long unrecordedNs;

    private Lateness(Analysis analysis) {
        this.analysis = analysis;
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

    /**
     * Explains why a GPU arrived last at some collectives.
     *
     * @param all the collectives of the recording, in the order of time
     */
    static Lateness of(Analysis analysis, DeviceActivity late, List<Collective> all) {
        Lateness lateness = new Lateness(analysis);
        Map<DeviceActivity, Long> began = new HashMap<>();
        Map<DeviceActivity, Intervals.Builder> compared = new LinkedHashMap<>();
        Intervals.Builder own = new Intervals.Builder(16);
        Map<Set<DeviceActivity>, Collective> before = new HashMap<>();
        for (Collective collective : all) {
            Arrival first = collective.first();
            Arrival last = collective.last();
            if (last.device() == late && first.device() != late) {
                Collective left = before.get(Set.of(first.device(), late));
                long common = Math.max(
                        began.computeIfAbsent(late, device -> beginsNs(analysis.timeline(), device)),
                        began.computeIfAbsent(first.device(), device -> beginsNs(analysis.timeline(), device)));
                long lateFrom = left == null ? common : left.of(late).endNs();
                long firstFrom = left == null ? common : left.of(first.device()).endNs();
                if (firstFrom <= first.startNs()) {
                    own.add(lateFrom, last.startNs());
                    compared.computeIfAbsent(first.device(), device -> new Intervals.Builder(16))
                            .add(firstFrom, first.startNs());
                } else {
                    long from = Math.min(last.startNs(), Math.max(first.startNs(), began.get(late)));
                    lateness.unrecordedNs += from - first.startNs();
                    own.add(from, last.startNs());
                }
            }
            remember(collective, late, before);
        }
        lateness.add(late, own.build(), 1);
        compared.forEach((device, times) -> lateness.add(device, times.build(), -1));
        return lateness;
    }

    private static void remember(
            Collective collective, DeviceActivity late, Map<Set<DeviceActivity>, Collective> before) {
        boolean takesPart = collective.arrivals().stream().anyMatch(arrival -> arrival.device() == late);
        for (Arrival arrival : takesPart ? collective.arrivals() : List.<Arrival>of()) {
            if (arrival.device() != late) {
                before.put(Set.of(arrival.device(), late), collective);
            }
        }
    }

    /** Adds the time of a GPU by what it did, {@code sign} times. */
    private void add(DeviceActivity device, Intervals times, int sign) {
        for (LedgerClass busy : LedgerClass.values()) {
            add(busy, -1, sign * device.exposed(busy).intersect(times).totalNs());
        }
        analysis.blameOf(device).explain(new IdleBlame.Pieces() {
            private long atNs;

            @Override
            public void gap(long startNs, long endNs) {
                atNs = startNs;
            }

            /** Takes the pieces of a gap in the order of time; they sum to the gap. */
            @Override
            public void take(int row, int sample, LedgerClass cause, long ns) {
                add(cause, row, sign * times.clip(atNs, atNs + ns).totalNs());
                atNs += ns;
            }
        });
    }

    private void add(LedgerClass cause, int row, long ns) {
        if (ns != 0) {
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

    /** Returns the causes that made the GPU late, the largest first. */
    public List<Map.Entry<LedgerClass, Long>> causes() {
        return causes.entrySet().stream()
                .filter(cause -> cause.getValue() > 0)
                .sorted(Order.<LedgerClass, Long>comparingByValue().reversed())
                .toList();
    }

    /** Returns the name of the rows with most of a cause's time; empty if no row has any. */
    public String place(LedgerClass cause) {
        return most(cause).map(name -> analysis.timeline().text(name.getKey())).orElse("");
    }

    /** Returns how much of a cause's time these rows have, in ns. */
    public long placeNs(LedgerClass cause) {
        return most(cause).map(Map.Entry::getValue).orElse(0L);
    }

    private Optional<Map.Entry<Integer, Long>> most(LedgerClass cause) {
        return rows.getOrDefault(cause, Map.of()).entrySet().stream()
                .filter(name -> name.getValue() > 0)
                .min(Order.largestFirst());
    }
}

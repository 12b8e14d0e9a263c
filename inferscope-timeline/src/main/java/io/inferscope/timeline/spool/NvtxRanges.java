package io.inferscope.timeline.spool;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The NVTX ranges and marks of a run. In Python, the probe records them when the program calls for them, and CUPTI
 * records them again inside that call:
 *
 * <pre>
 *   probe  [ range                       ]
 *   CUPTI     [ range                       ]
 * </pre>
 *
 * The probe's record is kept, because it has the line of the program. Ranges of C++ code have CUPTI's record only.
 */
final class NvtxRanges {
    /** Most time between both records of a begin: a thread may have to wait for the GIL twice, 5 ms each time. */
    private static final long MOST_APART_NS = 10_000_000;

    private static final long OPEN = Long.MAX_VALUE;

    private record Place(RowKind kind, int track, int nameId) {}

    /** A range of CUPTI; {@code lastNs} is when its process was last seen, for a range without an end. */
    private record OfCupti(int pid, Place place, int detailId, long startNs, long endNs, long lastNs) {}

    private final Map<Place, TreeMap<Long, Long>> ofProbe = new HashMap<>();
    private final List<OfCupti> ofCupti = new ArrayList<>();

    /** Takes a mark of CUPTI; {@code detailId} -1 is none. */
    void mark(int pid, int track, int nameId, int detailId, long timeNs) {
        ofCupti.add(new OfCupti(pid, new Place(RowKind.INSTANT, track, nameId), detailId, timeNs, timeNs, timeNs));
    }

    /** Takes a range of CUPTI; {@code detailId} -1 is none. */
    void recorded(int pid, int track, int nameId, int detailId, long startNs, long endNs) {
        ofCupti.add(new OfCupti(pid, new Place(RowKind.ANNOTATION, track, nameId), detailId, startNs, endNs, endNs));
    }

    /** Takes a range of CUPTI without an end, of a process that was last seen at {@code lastNs}. */
    void open(int pid, int track, int nameId, int detailId, long startNs, long lastNs) {
        ofCupti.add(new OfCupti(pid, new Place(RowKind.ANNOTATION, track, nameId), detailId, startNs, OPEN, lastNs));
    }

    /** Adds the rows of ranges and marks that only CUPTI recorded. All other rows of the run are complete. */
    void addRows(SpoolRun run) {
        TimelineBuilder builder = run.builder();
        findProbed(builder);
        ofCupti.sort((a, b) -> Long.compare(a.startNs(), b.startNs()));
        for (OfCupti range : ofCupti) {
            if (isProbed(range)) {
                builder.stats().count(Reason.NOT_USED, -1, "NVTX range or mark that the probe recorded, too");
                continue;
            }
            boolean open = range.endNs() == OPEN;
            int row = builder.row(
                    range.place().kind(),
                    range.place().track(),
                    range.startNs(),
                    open ? range.startNs() : range.endNs(),
                    range.place().nameId());
            if (range.detailId() >= 0) {
                builder.attribute(row, Attribute.DETAIL, range.detailId());
            }
            if (open) {
                run.endOpen(row, range.pid(), range.lastNs());
            }
        }
    }

    private void findProbed(TimelineBuilder builder) {
        Set<Place> places = ofCupti.stream().map(OfCupti::place).collect(Collectors.toSet());
        for (int row = 0; !places.isEmpty() && row < builder.rowCount(); row++) {
            RowKind kind = builder.kindAt(row);
            boolean user = kind == RowKind.ANNOTATION && builder.attributeAt(row, Attribute.USER_SCOPE) == 1;
            if (!user && kind != RowKind.INSTANT) {
                continue;
            }
            Place place = new Place(kind, builder.trackAt(row), builder.nameIdAt(row));
            if (places.contains(place)) {
                ofProbe.computeIfAbsent(place, one -> new TreeMap<>())
                        .put(builder.startNsAt(row), builder.endNsAt(row));
            }
        }
    }

    /** Returns whether the probe has the same range, which then has no second one. */
    private boolean isProbed(OfCupti range) {
        TreeMap<Long, Long> probed = ofProbe.get(range.place());
        if (probed == null) {
            return false;
        }
        long startNs = range.startNs();
        Long nearest = null;
        for (Map.Entry<Long, Long> one : probed.subMap(startNs - MOST_APART_NS, true, startNs + MOST_APART_NS, true)
                .entrySet()) {
            boolean nearer = nearest == null || Math.abs(one.getKey() - startNs) < Math.abs(nearest - startNs);
            if (nearer && endTogether(one.getValue(), range.endNs())) {
                nearest = one.getKey();
            }
        }
        return nearest != null && probed.remove(nearest) != null;
    }

    private static boolean endTogether(long probedNs, long ofCuptiNs) {
        return ofCuptiNs == OPEN || Math.abs(probedNs - ofCuptiNs) <= MOST_APART_NS;
    }
}

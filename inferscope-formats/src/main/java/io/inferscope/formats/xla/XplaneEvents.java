package io.inferscope.formats.xla;

import io.inferscope.formats.xla.XplaneIndex.Line;
import io.inferscope.formats.xla.XplaneIndex.Metadata;
import io.inferscope.formats.xla.XplaneIndex.Plane;
import io.inferscope.formats.xla.XplaneIndex.Stat;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.traceevent.EventTimes;
import java.io.IOException;
import java.util.List;

/** The second reading of an {@code xplane.pb}: its events, each with the names that the first one found. */
final class XplaneEvents {
    private static final long PS_PER_NS = 1000;

    private final HloModules hlo;
    private final ProtoMessages in;
    private final List<Plane> planes;
    private final XlaRows rows;
    private final ImportStats.Builder stats;
    private final XlaEvent event = new XlaEvent();
    private int nextPlane;
    private int nextLine;
    private long metadataId;
    private long offsetPs;
    private long durationPs;
    private boolean aggregated;
    private boolean named;

    XplaneEvents(ProtoMessages in, XplaneIndex index, XlaRows rows, ImportStats.Builder stats) {
        this.in = in;
        this.planes = index.planes();
        this.hlo = index.hlo();
        this.rows = rows;
        this.stats = stats;
    }

    /** Adds every event up to the end or to the damage, which is thrown. */
    void read() throws IOException, ImportException {
        in.whole(field -> {
            if (field == XplaneFields.SPACE_PLANE && nextPlane < planes.size()) {
                plane(planes.get(nextPlane++));
            }
        });
    }

    private void plane(Plane plane) throws IOException, ImportException {
        nextLine = 0;
        in.message(field -> {
            if (field == XplaneFields.PLANE_LINE && nextLine < plane.lines.size()) {
                line(plane, plane.lines.get(nextLine++));
            }
        });
    }

    private void line(Plane plane, Line line) throws IOException, ImportException {
        XlaLine lane = XlaLine.of(plane.name, line.key(), line.shownName());
        in.message(field -> {
            if (field == XplaneFields.LINE_EVENT) {
                long offsetBytes = in.offset();
                stats.event();
                int damages = in.damages();
                event(plane);
                if (in.damages() == damages) {
                    add(plane, line, lane, offsetBytes);
                }
            }
        });
    }

    private void event(Plane plane) throws IOException, ImportException {
        event.reset();
        metadataId = 0;
        offsetPs = 0;
        durationPs = 0;
        aggregated = false;
        named = true;
        in.message(field -> {
            switch (field) {
                case XplaneFields.EVENT_METADATA_ID -> metadataId = in.number();
                case XplaneFields.EVENT_OFFSET_PS -> offsetPs = in.number();
                case XplaneFields.EVENT_DURATION_PS -> durationPs = in.number();
                case XplaneFields.EVENT_STAT -> stat(plane, Stat.read(in));
                case XplaneFields.EVENT_OCCURRENCES -> {
                    aggregated = true;
                    in.number();
                }
            }
        });
    }

    /**
     * Reads a stat of an event, which may decide its kind: without the stats' names a launch would look like any range.
     * Names are those of GetStatTypeMap in xla/tsl/profiler/utils/xplane_schema.cc.
     */
    private void stat(Plane plane, Stat stat) {
        String name = plane.statNames.get(stat.id());
        if (name == null) {
            named = false;
            return;
        }
        switch (name) {
            case "hlo_op" -> event.hloOp = stat.text(plane);
            case "hlo_module" -> event.hloModule = stat.text(plane);
            case "program_id" -> event.program = stat.number(plane);
            case "memcpy_details" -> event.memcpyDetails = stat.text(plane);
            case "Memset_details" -> event.memsetDetails = stat.text(plane);
            case "allocator_name" -> event.allocator = stat.text(plane);
            case "step_name" -> event.stepName = stat.text(plane);
            case "correlation_id" -> event.correlation = stat.number(plane);
            default -> {
                // Of no use here.
            }
        }
    }

    private void add(Plane plane, Line line, XlaLine lane, long offsetBytes) {
        Metadata metadata = plane.events.get(metadataId);
        if (metadata != null) {
            metadata.stats.forEach(common -> stat(plane, common));
        }
        if (metadata == null || !named) {
            stats.count(Reason.UNNAMED, offsetBytes, plane.name);
            return;
        }
        event.name = metadata.shownName();
        if (aggregated) {
            stats.count(Reason.NOT_USED, offsetBytes, event.name);
        } else if (durationPs < 0) {
            stats.count(Reason.NEGATIVE_SPAN, offsetBytes, event.name);
        } else if (!isUsable(line.timestampNs) || offsetPs > Long.MAX_VALUE - durationPs) {
            stats.count(Reason.BAD_TIMESTAMP, offsetBytes, event.name);
        } else {
            event.startNs = line.timestampNs + roundedNs(offsetPs);
            event.endNs = line.timestampNs + roundedNs(offsetPs + durationPs);
            event.hlo = hlo.of(event.hloModule, event.program, event.hloOp);
            rows.add(lane, event, offsetBytes);
        }
    }

    private static boolean isUsable(long stampNs) {
        return stampNs <= EventTimes.MAX_STAMP_NS && stampNs >= -EventTimes.MAX_STAMP_NS;
    }

    /** Rounds half to even, like the reader of trace events. Start and end are rounded, so that nesting is kept. */
    private static long roundedNs(long ps) {
        long down = Math.floorDiv(ps, PS_PER_NS);
        long rest = Math.floorMod(ps, PS_PER_NS);
        boolean up = 2 * rest > PS_PER_NS || (2 * rest == PS_PER_NS && down % 2 != 0);
        return up ? down + 1 : down;
    }
}

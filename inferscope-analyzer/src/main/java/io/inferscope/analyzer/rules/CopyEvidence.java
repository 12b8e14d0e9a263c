package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Evidence from copies of the headline device. */
final class CopyEvidence {
    private CopyEvidence() {}

    /** Returns the copies of a direction on the headline device, longest first. */
    static List<CopyFigures> of(Analysis analysis, CopyDirection direction) {
        String device = analysis.headline().orElseThrow().id();
        return Tables.of(analysis).rows(Report.COPIES).stream()
                .filter(c -> c.device().equals(device) && c.direction() == direction)
                .toList();
    }

    /** Returns whether nearly all bytes of a direction are recorded as copied from or to pinned memory. */
    static boolean arePinned(Analysis analysis, CopyDirection direction) {
        long allBytes = 0;
        long pinnedBytes = 0;
        for (CopyFigures copy : of(analysis, direction)) {
            long bytes = Math.max(1, copy.recordedBytes());
            allBytes += bytes;
            pinnedBytes += mentions(copy, "pinned") ? bytes : 0;
        }
        return pinnedBytes >= (1 - analysis.threshold(PageableCopiesRule.BYTE_SHARE)) * allBytes;
    }

    static long count(List<CopyFigures> copies) {
        return copies.stream().mapToLong(CopyFigures::count).sum();
    }

    static long bytes(List<CopyFigures> copies) {
        return copies.stream().mapToLong(CopyFigures::recordedBytes).sum();
    }

    /** Returns a number of copies in words. */
    static String copies(long count) {
        return count == 1 ? "1 copy" : count + " copies";
    }

    static boolean mentions(CopyFigures copy, String memory) {
        return copy.memoryKinds().toLowerCase(Locale.ROOT).contains(memory);
    }

    /** Returns the longest copy of a line of {@link #of}, or of all its lines where {@code memoryKinds} is null. */
    static Evidence longest(Analysis analysis, CopyDirection direction, @Nullable String memoryKinds) {
        Timeline timeline = analysis.timeline();
        RowKind kind = switch (direction) {
            case H2D -> RowKind.MEMCPY_H2D;
            case D2H -> RowKind.MEMCPY_D2H;
            case D2D -> RowKind.MEMCPY_D2D;
            default -> throw new IllegalArgumentException("no evidence is made of " + direction.words());
        };
        DeviceActivity device = analysis.headline().orElseThrow();
        int best = -1;
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            boolean wanted = timeline.kind(row) == kind
                    && (memoryKinds == null
                            || timeline.attributeText(row, Attribute.MEMORY_KINDS)
                                    .equals(memoryKinds));
            if (wanted && (best < 0 || timeline.durationNs(row) > timeline.durationNs(device.row(best)))) {
                best = i;
            }
        }
        if (best < 0) {
            throw new IllegalArgumentException("no " + direction.id() + " copy on device " + device.id());
        }
        return new Evidence.Range(
                "longest " + direction.id() + " copy: " + timeline.name(device.row(best)),
                timeline.startNs(device.row(best)),
                timeline.endNs(device.row(best)),
                "device " + device.id(),
                analysis.where(device.launch(best)));
    }
}

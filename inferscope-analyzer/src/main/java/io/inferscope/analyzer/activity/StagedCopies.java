package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.MemoryKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.BitSet;

/**
 * Calls that copy between pageable host memory and a device.
 *
 * <pre>
 *   thread   [ call: stage | wait              | stage ]
 *   device                 [ transfers         ]
 * </pre>
 *
 * The driver moves the bytes through a pinned buffer of its own, and the thread copies them to or from that buffer
 * inside the call, before the first transfer or after the last. That time is the copy's: it grows with the bytes.
 */
final class StagedCopies {
    /**
     * Smaller copies are left out: their calls take as long as those of any launch. Up to 64 KB, the driver stages a
     * copy at once (CUDA Programming Guide, "Implicit Synchronization" and "Asynchronous Concurrent Execution").
     */
    private static final long SMALL_BYTES = 64 * 1024;

    private final BitSet toDevice = new BitSet();
    private final BitSet toHost = new BitSet();

    StagedCopies(Timeline timeline) {
        if (!timeline.has(Attribute.MEMORY_KINDS) || !timeline.has(Attribute.SIZE_BYTES)) {
            return;
        }
        Links links = timeline.links();
        for (int i = 0; i < links.count(); i++) {
            RowKind kind = timeline.kind(links.toRow(i));
            boolean copy = kind == RowKind.MEMCPY_H2D || kind == RowKind.MEMCPY_D2H;
            if (copy && links.kind(i) == LinkKind.LAUNCH && isStaged(timeline, links.toRow(i))) {
                (kind == RowKind.MEMCPY_H2D ? toDevice : toHost).set(links.fromRow(i));
            }
        }
    }

    private static boolean isStaged(Timeline timeline, int copy) {
        return timeline.attribute(copy, Attribute.SIZE_BYTES) > SMALL_BYTES && MemoryKind.PAGEABLE.isOf(timeline, copy);
    }

    /** Returns the class of a copy that a call stages; UNATTRIBUTED for any other row. */
    LedgerClass classOf(int call) {
        if (toHost.get(call)) {
            return LedgerClass.COPY_D2H;
        }
        return toDevice.get(call) ? LedgerClass.COPY_H2D : LedgerClass.UNATTRIBUTED;
    }
}

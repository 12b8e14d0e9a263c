package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;

/**
 * The calls that ranges stand for. A coroutine's call has one range per stretch in which it ran; all others are one
 * range each.
 *
 * <pre>
 *   ranges   [get A][get B]      [A]       [B]
 *   calls    [get A ...............]               from the start of the first to the end of the last
 *                   [get B ..................]
 * </pre>
 */
public final class RangeCalls {
    private final Timeline timeline;
    private final Map<Call, Stretches> calls = new HashMap<>();

    private record Call(int track, int name, long startNs) {}

    /** The first and the last recorded stretch of a call. */
    private record Stretches(int first, int last) {}

    public RangeCalls(Timeline timeline) {
        this.timeline = timeline;
        if (timeline.has(Attribute.CALL_START_NS)) {
            timeline.rows()
                    .filter(row -> timeline.kind(row) == RowKind.ANNOTATION)
                    .forEach(row ->
                            calls.merge(call(row), new Stretches(row, row), (a, b) -> new Stretches(a.first, b.last)));
        }
    }

    private Call call(int row) {
        long sinceNs = timeline.attribute(row, Attribute.CALL_START_NS);
        long startNs = timeline.startNs(row) - (sinceNs == Attribute.ABSENT ? 0 : sinceNs);
        return new Call(timeline.track(row), timeline.nameId(row), startNs);
    }

    private Stretches stretches(int row) {
        return calls.isEmpty() ? new Stretches(row, row) : calls.getOrDefault(call(row), new Stretches(row, row));
    }

    /** Returns the range that stands for the call: the first recorded one. */
    public int first(int row) {
        return stretches(row).first;
    }

    /** Returns whether the call ran in several stretches, between which its thread may have run others. */
    public boolean isSuspended(int row) {
        return stretches(row).last != row || startNs(row) != timeline.startNs(row);
    }

    /** Returns when the call began, as far as the recording reaches. */
    public long startNs(int row) {
        long mostNs = timeline.startNs(row) - timeline.startNs(timeline.firstRow(timeline.track(row)));
        long sinceNs = timeline.attribute(row, Attribute.CALL_START_NS);
        return timeline.startNs(row) - Math.max(0, Math.min(sinceNs, mostNs));
    }

    public long endNs(int row) {
        return timeline.endNs(stretches(row).last);
    }

    public long durationNs(int row) {
        return endNs(row) - startNs(row);
    }
}

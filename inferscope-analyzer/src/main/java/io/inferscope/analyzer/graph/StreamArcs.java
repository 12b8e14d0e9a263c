package io.inferscope.analyzer.graph;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/**
 * Adds the arcs into device operations: the order of their stream, their launch, and events of other streams.
 *
 * @param instants the instants plus one of launch calls, by row
 * @param firstOperation the number of the first operation's first instant
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record StreamArcs(Timeline timeline, GraphBuilder graph, Operations operations, int[] instants, int firstOperation) {
    private int startOf(int operation) {
        return firstOperation + 2 * operation;
    }

    private int endOf(int operation) {
        return firstOperation + 2 * operation + 1;
    }

    void draw() {
        for (int i = 0; i < operations.count(); i++) {
            if (i > 0 && operations.track(i - 1) == operations.track(i)) {
                stream(i - 1, i);
            }
            int launch = operations.launch(i);
            if (launch >= 0 && instants[launch] > 0) {
                int instant = instants[launch] - 1;
                long sinceCallNs = graph.timeNs(instant) - timeline.startNs(launch);
                graph.arc(ArcKind.LAUNCH, instant, startOf(i), Math.max(0, operations.leastLatencyNs() - sinceCallNs));
            }
        }
        recordedEvents();
        likelyEvents();
    }

    /**
     * Adds the arc between neighbours on a stream. An operation with a small overlap starts that much before the end of
     * the previous one; one with a large overlap only starts after the previous start.
     */
    private void stream(int before, int operation) {
        long overlapNs = operations.endNs(before) - operations.startNs(operation);
        boolean little = 2 * overlapNs <= operations.endNs(before) - operations.startNs(before);
        graph.arc(ArcKind.STREAM, little ? endOf(before) : startOf(before), startOf(operation), 0);
    }

    private void recordedEvents() {
        Links links = timeline.links();
        int[] operationOfRow = null;
        for (int link = 0; link < links.count(); link++) {
            if (links.kind(link) == LinkKind.EVENT_WAIT) {
                if (operationOfRow == null) {
                    operationOfRow = new int[timeline.rowCount()];
                    for (int i = 0; i < operations.count(); i++) {
                        operationOfRow[operations.row(i)] = i + 1;
                    }
                }
                int before = operationOfRow[links.fromRow(link)] - 1;
                int after = operationOfRow[links.toRow(link)] - 1;
                if (before >= 0 && after >= 0) {
                    graph.arc(ArcKind.EVENT, endOf(before), startOf(after), 0);
                }
            }
        }
    }

    /**
     * Waits for events are seldom recorded. If an operation starts later than its stream and its launch explain, and an
     * operation on another stream of the device ended less than a launch latency before, the first is assumed to have
     * waited for the second.
     */
    private void likelyEvents() {
        int[] byStart = byStart();
        int[] byEnd = operations.byEnd();
        int[] lastEnded = new int[timeline.tracks().size()];
        Arrays.fill(lastEnded, -1);
        int ended = 0;
        for (int i : byStart) {
            long startNs = operations.startNs(i);
            while (ended < byEnd.length && operations.endNs(byEnd[ended]) <= startNs) {
                lastEnded[device(byEnd[ended])] = byEnd[ended];
                ended++;
            }
            int before = lastEnded[device(i)];
            if (before >= 0 && operations.track(before) != operations.track(i) && isLikely(before, i)) {
                graph.arc(ArcKind.EVENT, endOf(before), startOf(i), 0);
            }
        }
    }

    private boolean isLikely(int before, int operation) {
        long startNs = operations.startNs(operation);
        long endedNs = operations.endNs(before);
        long latestNs = Operations.MAX_IDLE_LATENCY_NS;
        int launch = operations.launch(operation);
        boolean launchedLongBefore = launch >= 0 && timeline.startNs(launch) + operations.leastLatencyNs() < endedNs;
        return startNs - endedNs <= latestNs && launchedLongBefore;
    }

    private int[] byStart() {
        long[] startsNs = new long[operations.count()];
        for (int i = 0; i < startsNs.length; i++) {
            startsNs[i] = operations.startNs(i);
        }
        return StableTimeSort.order(startsNs, startsNs.length);
    }

    private int device(int operation) {
        return timeline.tracks().get(operations.track(operation)).parent();
    }
}

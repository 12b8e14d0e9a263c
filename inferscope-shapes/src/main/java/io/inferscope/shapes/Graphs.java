package io.inferscope.shapes;

import io.inferscope.shapes.log.ShapeBody.Marker;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The CUDA graphs of one log. Operators run once where a graph is captured, and again, unseen, at each replay: what the capture saw counts
 * for every replay.
 */
final class Graphs {
    /** Operators of graphs that are told apart: vLLM captures some 5,000 graphs of some 15 operators. */
    private static final int MAX_ENTRIES = 100_000;

    private static final class Graph {
        private final Map<Integer, CallSums> captured = new TreeMap<>();
        private long replays;
    }

    private final Map<Long, Graph> graphs = new HashMap<>();
    private final Map<Integer, CallSums> captured = new TreeMap<>();
    private final Map<Integer, CallSums> replayed = new TreeMap<>();
    private @Nullable Graph open;
    private int entries;
    private boolean isCut;
    private long unknown;

    /** A marker about a graph was met. */
    void marker(Marker marker) {
        switch (marker.name()) {
            case Marker.CAPTURE_START -> {
                Graph begun = new Graph();
                settle(graphs.put(marker.graph(), begun));
                open = begun;
            }
            case Marker.CAPTURE_END -> open = null;
            case Marker.REPLAY -> {
                Graph graph = graphs.get(marker.graph());
                if (graph == null) {
                    unknown++;
                } else {
                    graph.replays++;
                }
            }
            default -> {
                // About no graph's operators.
            }
        }
    }

    /** Returns where the calls of an operator count too; null outside captures, and where there is no more room. */
    @Nullable
    CallSums capturing(int operation) {
        Graph graph = open;
        if (graph == null) {
            return null;
        }
        CallSums sums = graph.captured.get(operation);
        isCut |= sums == null && entries == MAX_ENTRIES;
        if (sums == null && entries < MAX_ENTRIES) {
            entries++;
            sums = new CallSums();
            graph.captured.put(operation, sums);
        }
        return sums;
    }

    /** Adds up a finished graph, whose number now belongs to another one. */
    private void settle(@Nullable Graph graph) {
        if (graph != null) {
            entries -= graph.captured.size();
            graph.captured.forEach((operation, sums) -> {
                captured.computeIfAbsent(operation, key -> new CallSums()).add(sums, 1);
                replayed.computeIfAbsent(operation, key -> new CallSums()).add(sums, graph.replays);
            });
        }
    }

    /** The log is over. */
    void close() {
        graphs.values().forEach(this::settle);
        graphs.clear();
    }

    /** Returns, by operator, what the captures saw. */
    Map<Integer, CallSums> captured() {
        return captured;
    }

    /** Returns, by operator, what ran in replays. */
    Map<Integer, CallSums> replayed() {
        return replayed;
    }

    /** Returns replays of graphs whose capture is not in the log. */
    long unknown() {
        return unknown;
    }

    /** Returns whether operators were left out for want of room. */
    boolean isCut() {
        return isCut;
    }
}

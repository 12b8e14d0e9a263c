package io.inferscope.shapes;

import io.inferscope.shapes.log.ShapeBody.Marker;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The CUDA graphs of one log. The operators of a graph are logged once, when the graph is captured. Each replay runs
 * them again without logging them, so the calls of the capture are counted once per replay.
 */
final class Graphs {
    /**
     * The most pairs of graph and operator that are counted separately: vLLM captures some 5,000 graphs of some 15
     * operators.
     */
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

    /** Processes a marker about a graph. */
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

    /**
     * Returns the sums of the graph being captured to which a call of this operator must be added; null outside
     * captures and when {@link #MAX_ENTRIES} is reached.
     */
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

    /**
     * Adds the calls of a graph to the totals. Called when the log ends, or when the graph's number is given to another
     * graph.
     */
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

    /** Returns the sums over the calls during captures, by operator. */
    Map<Integer, CallSums> captured() {
        return captured;
    }

    /** Returns the sums over the calls in replays, by operator. */
    Map<Integer, CallSums> replayed() {
        return replayed;
    }

    /** Returns the number of replays of graphs whose capture is not in the log. */
    long unknown() {
        return unknown;
    }

    /** Returns whether operators were left out because {@link #MAX_ENTRIES} was reached. */
    boolean isCut() {
        return isCut;
    }
}

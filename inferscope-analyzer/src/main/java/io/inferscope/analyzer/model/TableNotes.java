package io.inferscope.analyzer.model;

import org.jspecify.annotations.Nullable;

/**
 * What is known of the tables of a report besides their rows.
 *
 * @param steadyState one sentence on the evidence for the steady state, or why there is none; empty without a loop
 * @param shapesPart the part that contains the operators by shape: the steady state if it is judged and has any,
 *     otherwise the span or the window; null without operators
 * @param modulesLeftOut how many lines of the tree of modules are left out, those with least device time
 * @param path the size of the critical path, null if it is not known
 */
public record TableNotes(
        String steadyState,
        @Nullable LedgerPart shapesPart,
        long modulesLeftOut,
        @Nullable PathSize path) {
    public static final TableNotes NONE = new TableNotes("", null, 0, null);

    /**
     * The size of the critical path and of the graph of dependencies.
     *
     * @param pathNs length of the path: that of the window
     * @param replayErrorNs length of the window minus what a replay of the unchanged dependencies takes
     * @param instants number of instants of threads and streams
     * @param dependencies number of dependencies between them
     */
    public record PathSize(long pathNs, long replayErrorNs, long instants, long dependencies) {}
}

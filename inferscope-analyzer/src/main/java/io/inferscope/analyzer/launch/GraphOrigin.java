package io.inferscope.analyzer.launch;

/**
 * Where the operations of a graph come from: for each position of a replay the call that launched it outside of the
 * graph.
 */
public final class GraphOrigin {
    /** The evidence for the origin of a graph's operations. */
    public enum Source {
        /** A stream capture has equally many calls of the same kinds between its begin and end. */
        CAPTURE("capture"),
        /** The same kernels ran in the same order without the graph, as in the warm-up before a capture. */
        EAGER_RUN("eager run"),
        /** Outside of graphs, kernels of that name are launched by one operator alone. */
        KERNEL_NAMES("kernel names"),
        NOT_KNOWN("");

        private final String text;

        Source(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    static final GraphOrigin NONE = new GraphOrigin(Source.NOT_KNOWN, new int[0], false);

    private final Source source;
    private final int[] launches;
    private final boolean callsKnown;

    /**
     * Makes an origin.
     *
     * @param callsKnown whether the exact calls are known, and not only their operators
     */
    GraphOrigin(Source source, int[] launches, boolean callsKnown) {
        this.source = source;
        this.launches = launches;
        this.callsKnown = callsKnown;
    }

    public Source source() {
        return source;
    }

    /** Returns whether the exact calls that were captured or run are known, and not only their operators. */
    boolean callsAreKnown() {
        return callsKnown;
    }

    /** Returns the row of the call that launched the operation at a position of a replay; -1 when not known. */
    public int launch(int position) {
        return position < launches.length ? launches[position] : -1;
    }
}

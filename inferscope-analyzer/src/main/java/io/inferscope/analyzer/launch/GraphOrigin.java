package io.inferscope.analyzer.launch;

/** Where the operations of a graph come from: for each position of a replay the call that launched it outside of the graph. */
public final class GraphOrigin {
    /** How the origin of a graph's operations is known. */
    public enum Source {
        /** The calls between the begin and the end of a stream capture are as many, and of the same kinds. */
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

    static final GraphOrigin NONE = new GraphOrigin(Source.NOT_KNOWN, new int[0]);

    private final Source source;
    private final int[] launches;

    GraphOrigin(Source source, int[] launches) {
        this.source = source;
        this.launches = launches;
    }

    public Source source() {
        return source;
    }

    /** Returns the row of the call that launched the operation at a position of a replay; -1 when not known. */
    public int launch(int position) {
        return position < launches.length ? launches[position] : -1;
    }
}

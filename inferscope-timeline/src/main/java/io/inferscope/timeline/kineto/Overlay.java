package io.inferscope.timeline.kineto;

import java.io.IOException;

/** What was found in a recording, drawn beside it in an exported trace. It is no part of the recording: the importer leaves it out. */
@FunctionalInterface
public interface Overlay {
    /** Nothing. */
    Overlay NONE = pieces -> {};

    /** Gives the pieces, earliest first and free of overlaps. */
    void draw(Pieces pieces) throws IOException;

    /** Takes pieces. */
    @FunctionalInterface
    interface Pieces {
        /**
         * Takes a piece {@code [startNs, endNs)} of the axis.
         *
         * @param name what was done
         * @param cause id of its ledger class
         * @param on the thread or stream
         * @param where {@code file:line function}; empty when not known
         */
        void piece(String name, String cause, String on, String where, long startNs, long endNs) throws IOException;
    }
}

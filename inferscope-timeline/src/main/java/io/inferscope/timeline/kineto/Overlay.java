package io.inferscope.timeline.kineto;

import java.io.IOException;

/** Analysis results drawn in an exported trace. They are not part of the recording: the importer leaves them out. */
@FunctionalInterface
public interface Overlay {
    /** Nothing. */
    Overlay NONE = pieces -> {};

    /** Passes the pieces, earliest first and without overlaps. */
    void draw(Pieces pieces) throws IOException;

    @FunctionalInterface
    interface Pieces {
        /**
         * Receives a piece {@code [startNs, endNs)} of the axis.
         *
         * @param name the activity
         * @param cause id of its ledger class
         * @param on the thread or stream
         * @param where {@code file:line function}; empty when not known
         */
        void piece(String name, String cause, String on, String where, long startNs, long endNs) throws IOException;
    }
}

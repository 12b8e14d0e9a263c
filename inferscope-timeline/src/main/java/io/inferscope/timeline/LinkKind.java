package io.inferscope.timeline;

/** Why one row led to another. */
public enum LinkKind {
    /** An API call submitted a device operation. */
    LAUNCH,
    /** A graph launch replayed a device operation. */
    GRAPH_REPLAY,
    /** An event recorded after an operation ended a wait of an operation on another stream, or of an API call. */
    EVENT_WAIT,
    /** A function of the host held up the stream of the operation behind it. */
    HOST_FUNCTION,
    /** A lock was handed over, from the row in which it was released to the row that waited for it. */
    LOCK,
    /**
     * A queue, pipe, socket, future or event handed something over, or a thread started another: from giver to taker.
     */
    HAND_OVER,
    /** Both belong to one request. */
    REQUEST
}

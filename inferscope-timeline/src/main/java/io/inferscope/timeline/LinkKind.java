package io.inferscope.timeline;

/** Why one row led to another. */
public enum LinkKind {
    /** An API call submitted a device operation. */
    LAUNCH,
    /** A graph launch replayed a device operation. */
    GRAPH_REPLAY,
    /** An event recorded on one stream released a wait. */
    EVENT_WAIT,
    /** A lock was handed over. */
    LOCK,
    /** A queue, pipe or socket handed work over. */
    HAND_OVER,
    /** Both belong to one request. */
    REQUEST
}

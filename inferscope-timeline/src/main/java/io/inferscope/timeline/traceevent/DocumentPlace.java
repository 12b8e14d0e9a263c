package io.inferscope.timeline.traceevent;

/** Where in a document reading begins, and what has to stand before that part for it to be a document. */
enum DocumentPlace {
    /** At its start. */
    START("", 0),
    /** Before the first element of a document that is a list. */
    LIST("[", 1),
    /** Behind an element of a document that is a list. */
    IN_LIST("[[]", 3),
    /** Before the first element of the event list. */
    EVENTS("{\"traceEvents\":[", 3),
    /** Behind an element of the event list. */
    IN_EVENTS("{\"traceEvents\":[[]", 5),
    /** Behind a member of the document. */
    IN_MEMBERS("{\"\":[]", 4);

    private final String before;
    private final int tokens;

    DocumentPlace(String before, int tokens) {
        this.before = before;
        this.tokens = tokens;
    }

    /** Returns what has to stand before that part. */
    String before() {
        return before;
    }

    /** Returns how many tokens {@link #before} is. */
    int tokens() {
        return tokens;
    }
}

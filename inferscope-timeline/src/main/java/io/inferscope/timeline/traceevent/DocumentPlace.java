package io.inferscope.timeline.traceevent;

/**
 * A place in a document at which reading begins, with the text that must precede the rest for it to be a valid
 * document.
 */
enum DocumentPlace {
    /** At its start. */
    START("", 0),
    /** Before the first element of a document that is a list. */
    LIST("[", 1),
    /** After an element of a document that is a list. */
    IN_LIST("[[]", 3),
    /** Before the first element of the event list. */
    EVENTS("{\"traceEvents\":[", 3),
    /** After an element of the event list. */
    IN_EVENTS("{\"traceEvents\":[[]", 5),
    /** After a member of the document. */
    IN_MEMBERS("{\"\":[]", 4);

    private final String before;
    private final int tokens;

    DocumentPlace(String before, int tokens) {
        this.before = before;
        this.tokens = tokens;
    }

    /** Returns the text that must precede the rest. */
    String before() {
        return before;
    }

    /** Returns how many tokens {@link #before} is. */
    int tokens() {
        return tokens;
    }
}

package io.inferscope.analyzer.model;

/** How the holder of a lock or CPU is known. */
public enum HolderEvidence implements Identified {
    RECORDED("recorded"),
    /** The best guess: the thread that worked during the wait. */
    AT_WORK("at work meanwhile");

    private final String id;

    HolderEvidence(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }
}

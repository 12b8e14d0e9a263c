package io.inferscope.analyzer.model;

/** What an efficiency above 1 means. */
public enum RooflineRemark implements Identified {
    NONE(""),
    /** One of the figures must be wrong. */
    ABOVE_PEAK("above peak"),
    /** The traffic fits into the device's cache, which is faster than its memory. */
    FROM_CACHE("from cache");

    private final String id;

    RooflineRemark(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }
}

package io.inferscope.analyzer.model;

/** The limit that needs more time at a device's peak. */
public enum RooflineBound implements Identified {
    COMPUTE("compute"),
    MEMORY("memory"),
    /** The work or the peak is not known. */
    UNKNOWN("");

    private final String id;

    RooflineBound(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }
}

package io.inferscope.analyzer.model;

/** The limit that needs more time at a device's peak. */
public enum RooflineBound implements HasStableId {
    COMPUTE,
    MEMORY;
}

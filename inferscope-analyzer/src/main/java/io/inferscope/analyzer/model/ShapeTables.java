package io.inferscope.analyzer.model;

/** Operators by the shapes of their inputs: their work against the peak of the device, and CUDA graphs. */
public record ShapeTables() {
    /** Nothing of that is known. */
    public static final ShapeTables NONE = new ShapeTables();
}

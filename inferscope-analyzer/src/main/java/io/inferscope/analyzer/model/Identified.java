package io.inferscope.analyzer.model;

/** A constant with an id that programs may rely on. */
public interface Identified {
    /** Returns the stable id. */
    String id();
}

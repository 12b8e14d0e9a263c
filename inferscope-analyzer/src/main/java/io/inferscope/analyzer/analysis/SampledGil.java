package io.inferscope.analyzer.analysis;

/** Values of {@link io.inferscope.timeline.Attribute#GIL}, docs/spool-format.md. */
final class SampledGil {
    static final int HOLDS = 1;
    static final int WAITS = 2;

    private SampledGil() {}
}

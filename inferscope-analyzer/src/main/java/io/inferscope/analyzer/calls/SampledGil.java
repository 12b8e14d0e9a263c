package io.inferscope.analyzer.calls;

/** Values of {@link io.inferscope.timeline.Attribute#GIL}, docs/spool-format.md. */
public final class SampledGil {
    public static final int HOLDS = 1;
    public static final int WAITS = 2;

    /** The thread neither held the GIL nor waited for it. */
    public static final int NEITHER = 3;

    /** The thread slept, without the GIL and for something else. */
    public static final int BLOCKED = 4;

    private SampledGil() {}
}

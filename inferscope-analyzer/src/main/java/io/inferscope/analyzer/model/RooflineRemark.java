package io.inferscope.analyzer.model;

import java.util.Locale;

/** What an efficiency above 1 means. */
public enum RooflineRemark implements HasStableId {
    /** One of the figures must be wrong. */
    ABOVE_PEAK,
    /** The traffic fits into the device's cache, which is faster than its memory. */
    FROM_CACHE;

    @Override
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}

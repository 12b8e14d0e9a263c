package io.inferscope.analyzer.model;

import java.util.Locale;

/** Whether work ran on matrix units: NVIDIA's tensor cores, AMD's matrix cores. */
public enum MatrixUnits implements Identified {
    USED,
    UNUSED,
    UNKNOWN;

    @Override
    public String id() {
        return this == UNKNOWN ? "" : name().toLowerCase(Locale.ROOT);
    }
}

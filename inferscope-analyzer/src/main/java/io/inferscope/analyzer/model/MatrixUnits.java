package io.inferscope.analyzer.model;

/** Whether work ran on matrix units: NVIDIA's tensor cores, AMD's matrix cores. */
public enum MatrixUnits implements HasStableId {
    USED,
    UNUSED;
}

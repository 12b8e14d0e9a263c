package io.inferscope.timeline;

/**
 * A source clock of rows, and the error of its mapping to the timeline's axis.
 *
 * @param name the clock's name, such as {@code monotonic}, {@code realtime}, {@code kineto}
 * @param anchors how many pairs (source time, axis time) tie it
 * @param errorBoundNs largest remaining error of a mapped stamp in ns; 0 when the axis is this clock, -1 when not known
 */
public record ClockDomain(String name, int anchors, long errorBoundNs) {}

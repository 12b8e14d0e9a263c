package io.inferscope.timeline.clock;

/**
 * One moment on two clocks.
 *
 * @param sourceNs the source's clock
 * @param axisNs the timeline's axis, CLOCK_MONOTONIC
 * @param uncertaintyNs half the bracket in which both were read
 */
public record ClockAnchor(long sourceNs, long axisNs, long uncertaintyNs) {}

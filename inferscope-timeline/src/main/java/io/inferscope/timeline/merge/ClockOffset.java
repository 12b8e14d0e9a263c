package io.inferscope.timeline.merge;

/**
 * What to add to the stamps of one recording so that they are on the axis of another.
 *
 * @param ns the offset in ns
 * @param errorBoundNs how far a stamp may be off after that, in ns; -1 when not known
 * @param evidence how it is known, in words
 * @param oneCapture whether both are parts of one capture: then equal ids mean the same thing, and equal rows are one row
 */
public record ClockOffset(long ns, long errorBoundNs, String evidence, boolean oneCapture) {}

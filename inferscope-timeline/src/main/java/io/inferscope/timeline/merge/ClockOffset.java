package io.inferscope.timeline.merge;

/**
 * The offset that moves the stamps of one recording to the axis of another.
 *
 * @param ns the offset in ns
 * @param errorBoundNs error bound of a moved stamp, in ns; -1 if not known
 * @param evidence the evidence for it, in words
 * @param oneCapture whether both are parts of one capture: then equal ids identify the same process or thread, and
 *     equal rows are one row
 */
public record ClockOffset(long ns, long errorBoundNs, String evidence, boolean oneCapture) {}

package io.inferscope.formats.jfr;

import io.inferscope.timeline.WaitReason;

/**
 * A wait of a Java thread.
 *
 * @param startNs its start
 * @param endNs its end
 * @param reason the reason
 * @param what the event's name, with the class of the awaited object if known
 * @param stack its stack, -1 if not known
 * @param owner kernel thread id of the monitor's previous owner, 0 if not known
 */
record JfrWait(long startNs, long endNs, WaitReason reason, String what, int stack, long owner) {}

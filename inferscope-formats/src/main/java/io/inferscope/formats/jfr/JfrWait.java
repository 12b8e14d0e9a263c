package io.inferscope.formats.jfr;

import io.inferscope.timeline.WaitReason;

/**
 * A stretch in which a Java thread waited.
 *
 * @param startNs its start
 * @param endNs its end
 * @param reason what for
 * @param what the event's name, with the class of what it waited for where that is known
 * @param stack where, -1 when not known
 * @param owner kernel thread id of who had the monitor before, 0 when not known
 */
record JfrWait(long startNs, long endNs, WaitReason reason, String what, int stack, long owner) {}

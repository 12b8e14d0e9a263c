package io.inferscope.collectors.host;

import io.inferscope.timeline.WaitReason;

/**
 * Why a thread is blocked.
 *
 * @param reason the reason of docs/spool-format.md
 * @param detail the system call's name, or empty
 */
record WaitCause(WaitReason reason, String detail) {
    static final WaitCause UNKNOWN = new WaitCause(WaitReason.UNKNOWN, "");
    static final WaitCause PAGE_FAULT = new WaitCause(WaitReason.PAGE_FAULT, "");
}

package io.inferscope.analyzer.model;

import java.util.Locale;

/** How the holder of a lock or CPU is known. */
public enum HolderEvidence implements HasStableId {
    RECORDED,
    /** The best guess: the thread that worked during the wait. */
    AT_WORK_MEANWHILE;

    @Override
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}

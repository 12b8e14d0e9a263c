package io.inferscope.analyzer.model;

import java.util.Locale;

/** The direction of a copy; memory sets are listed with copies. In the order of their ids. */
public enum CopyDirection implements HasStableId {
    D2D("device-to-device"),
    D2H("device-to-host"),
    H2D("host-to-device"),
    P2P("peer-to-peer"),
    MEMSET("memset"),
    OTHER("other");

    private final String words;

    CopyDirection(String words) {
        this.words = words;
    }

    /** Returns the id in reports: {@code H2D}, {@code memset}. */
    @Override
    public String id() {
        return this == MEMSET || this == OTHER ? name().toLowerCase(Locale.ROOT) : name();
    }

    /** Returns it in words, as in "host-to-device copies". */
    public String words() {
        return words;
    }
}

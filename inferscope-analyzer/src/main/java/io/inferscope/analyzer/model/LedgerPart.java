package io.inferscope.analyzer.model;

import java.util.Locale;

/** The part of a recording's time that a ledger or idle time covers. */
public enum LedgerPart implements HasStableId {
    /** First to last recorded activity. */
    WINDOW,
    /** First to last operation of a device. */
    SPAN,
    /** The time before the span. */
    HEAD,
    /** The time after the span. */
    TAIL,
    /** Everything before the steady state. */
    START_UP,
    /** The phases: {@link PhaseKind}. */
    BEFORE,
    LOAD,
    COMPILE,
    WARM_UP,
    STEADY_STATE,
    AFTER,
    /** The time of requests of one name, or of the threads that served requests. */
    REQUESTS;

    public static LedgerPart of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Returns a word or two for people. */
    public String words() {
        return switch (this) {
            case REQUESTS -> "requests' time";
            case START_UP -> "start-up";
            case WARM_UP -> "warm-up";
            default -> name().toLowerCase(Locale.ROOT).replace('_', ' ');
        };
    }
}

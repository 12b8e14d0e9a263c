package io.inferscope.collectors.doctor;

import java.util.Locale;

/**
 * The doctor's result for one collector.
 *
 * @param id the collector
 * @param status whether it works
 * @param found the finding, in one sentence
 * @param remedy the remedy, empty for none
 */
public record CollectorCheck(String id, Status status, String found, String remedy) {
    /** Whether a collector works. */
    public enum Status {
        /** The collector will record. */
        WORKS,
        /** The collector will record a part, or only under a condition that the text names. */
        LIMITED,
        /** There is something to record, but the collector cannot record it now. */
        FAILS,
        /** There is nothing of its kind here. */
        ABSENT;

        /** Returns the word that outputs use. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static CollectorCheck works(String id, String found) {
        return new CollectorCheck(id, Status.WORKS, found, "");
    }

    static CollectorCheck limited(String id, String found, String remedy) {
        return new CollectorCheck(id, Status.LIMITED, found, remedy);
    }

    static CollectorCheck fails(String id, String found, String remedy) {
        return new CollectorCheck(id, Status.FAILS, found, remedy);
    }

    static CollectorCheck absent(String id, String found) {
        return new CollectorCheck(id, Status.ABSENT, found, "");
    }

    /** Returns whether this collector works if it is asked for. */
    public boolean isThere() {
        return status == Status.WORKS || status == Status.LIMITED;
    }
}

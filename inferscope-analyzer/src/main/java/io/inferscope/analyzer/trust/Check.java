package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.model.Report.TrustCheck;
import java.util.Locale;

/** One check of the trust gate. Stateless. How each check decides, and why: docs/trust-gate.md. */
abstract class Check {
    /** The words of the class's name, in small letters: {@code lost-events}. */
    private final String id =
            getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);

    /** Returns the stable id. */
    final String id() {
        return id;
    }

    abstract TrustCheck of(RecordingFacts recorded);

    /** A check of device operations, which a recording without any passes. */
    abstract static class OfDevices extends Check {
        @Override
        final TrustCheck of(RecordingFacts recorded) {
            return recorded.hasDevices() ? ofDevices(recorded) : pass("no device operation is recorded");
        }

        /** Checks a recording with device operations. */
        abstract TrustCheck ofDevices(RecordingFacts recorded);
    }

    /** Describes how many of some things have a property, or that there are none of them. */
    static String part(long some, long all, String things, String state) {
        return all == 0 ? "no " + things + " to look at" : some + " of " + all + " " + things + " " + state;
    }

    /** The recording passed. */
    final TrustCheck pass(String detail) {
        return new TrustCheck(id, true, false, detail, "");
    }

    /**
     * The recording failed.
     *
     * @param withholds whether no verdict can rest on it
     * @param remedy what to do to record it better, with the command
     */
    final TrustCheck fail(boolean withholds, String detail, String remedy) {
        return new TrustCheck(id, false, withholds, detail, remedy);
    }
}

package io.inferscope.timeline.merge;

import java.util.Optional;

/** Ties the clock of one recording to that of another, by the best evidence that there is. */
final class Offsets {
    /** Recordings of one run that do not overlap lie at most so far apart; else their Unix times are not of one clock. */
    private static final long MAX_APART_NS = 3_600_000_000_000L;
    /** What both recorded may correct what their Unix times say by so much: profilers convert a counter to Unix time themselves. */
    private static final long MAX_CORRECTION_NS = 100_000_000L;

    private Offsets() {}

    /** Returns what to add to the stamps of {@code other}; empty when nothing ties the two. */
    static Optional<ClockOffset> between(Recording reference, Recording other) {
        if (isOneCapture(reference, other)) {
            return Optional.of(new ClockOffset(0, 0, "parts of one capture, by its id", true));
        }
        // Ranks run the same kernels, but not the very same ones.
        Optional<ClockOffset> shared = reference.isOtherRankThan(other)
                ? Optional.empty()
                : new SharedRows(reference.timeline(), other.timeline()).offset();
        Optional<ClockOffset> anchored = anchored(reference, other);
        if (shared.isPresent() && anchored.isPresent()) {
            long correctionNs = shared.get().ns() - anchored.get().ns();
            return Math.abs(correctionNs) <= MAX_CORRECTION_NS ? shared : anchored;
        }
        return shared.or(() -> anchored);
    }

    private static boolean isOneCapture(Recording a, Recording b) {
        String id = a.timeline().properties().getOrDefault("trace_id", "");
        return !id.isEmpty()
                && id.equals(b.timeline().properties().get("trace_id"))
                && a.timeline().originUnixNs() == b.timeline().originUnixNs();
    }

    private static Optional<ClockOffset> anchored(Recording reference, Recording other) {
        if (!reference.isAnchored() || !other.isAnchored()) {
            return Optional.empty();
        }
        long offsetNs = other.timeline().originUnixNs() - reference.timeline().originUnixNs();
        long apartNs = Math.max(
                other.startNs() + offsetNs - reference.endNs(), reference.startNs() - (other.endNs() + offsetNs));
        if (apartNs > MAX_APART_NS) {
            return Optional.empty();
        }
        long errorNs = reference.clockErrorNs() < 0 || other.clockErrorNs() < 0
                ? -1
                : reference.clockErrorNs() + other.clockErrorNs();
        return Optional.of(
                new ClockOffset(offsetNs, errorNs, "both state their Unix time; the same node is assumed", false));
    }
}

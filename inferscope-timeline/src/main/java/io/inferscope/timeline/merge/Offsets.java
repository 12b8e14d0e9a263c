package io.inferscope.timeline.merge;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds the clock offset between two recordings, by the best evidence available. */
final class Offsets {
    /**
     * Largest distance of recordings of one run that do not overlap; at larger distances, their Unix times are not of
     * one clock.
     */
    private static final long MAX_APART_NS = 3_600_000_000_000L;
    /**
     * Largest correction of Unix times by shared events, because profilers convert a counter to Unix time themselves.
     */
    private static final long MAX_CORRECTION_NS = 100_000_000L;

    /** Profiles count in microseconds. */
    private static final long MARKED_WITHIN_NS = 1_000;

    private Offsets() {}

    /** Returns the offset for the stamps of {@code other}; empty without evidence. */
    static Optional<ClockOffset> between(Recording reference, Recording other) {
        if (isOneCapture(reference, other)) {
            return Optional.of(new ClockOffset(0, 0, "parts of one capture, by its id", true));
        }
        Optional<ClockOffset> marked = marked(reference, other);
        if (marked.isPresent()) {
            return marked;
        }
        // Ranks run kernels with equal names, but these are not shared events.
        Optional<ClockOffset> shared = reference.isOtherRankThan(other)
                ? Optional.empty()
                : new CommonRowAlignment(reference.timeline(), other.timeline()).offset();
        Optional<ClockOffset> anchored = anchored(reference, other);
        if (shared.isPresent() && anchored.isPresent()) {
            long correctionNs = shared.get().ns() - anchored.get().ns();
            return Math.abs(correctionNs) <= MAX_CORRECTION_NS ? shared : anchored;
        }
        return shared.or(() -> anchored);
    }

    /** A profile that the recorded process itself made counts from an instant that its recorder saw. */
    private static Optional<ClockOffset> marked(Recording reference, Recording other) {
        String from = other.timeline().properties().getOrDefault(TimelineInfo.COUNTS_FROM, "");
        Timeline timeline = reference.timeline();
        Set<String> processes = from.isEmpty() ? Set.of() : processes(other.timeline());
        int[] marks = timeline.tracks().stream()
                .filter(track -> track.parent() >= 0
                        && processes.contains(
                                timeline.tracks().get(track.parent()).key()))
                .flatMapToInt(track -> timeline.rows(track.id(), RowKind.INSTANT))
                .filter(row -> timeline.name(row).startsWith(from + ' ')
                        && other.name().startsWith(timeline.name(row).substring(from.length() + 1)))
                .toArray();
        return marks.length == 1
                ? Optional.of(new ClockOffset(
                        timeline.startNs(marks[0]), MARKED_WITHIN_NS, "the start that its own process recorded", true))
                : Optional.empty();
    }

    private static Set<String> processes(Timeline timeline) {
        return timeline.tracks().stream()
                .filter(track -> track.kind() == TrackKind.PROCESS)
                .map(Track::key)
                .collect(Collectors.toSet());
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

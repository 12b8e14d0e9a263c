package io.inferscope.timeline.merge;

import io.inferscope.timeline.Timeline;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One input of a merge.
 *
 * @param name the input's name without folders
 * @param timeline what was recorded, on its own axis
 * @param givenOffsetNs offset for its stamps, in ns, if given by the user; otherwise null
 */
public record Recording(
        String name, Timeline timeline, @Nullable Long givenOffsetNs) {
    /**
     * Unix times of recordings lie between September 2001 and October 2096, in ns: counters since boot are far below.
     */
    private static final long FIRST_UNIX_NS = 1_000_000_000_000_000_000L;

    private static final long LAST_UNIX_NS = 4_000_000_000_000_000_000L;

    /** Returns whether the Unix time of the recording's stamps is known. */
    boolean isAnchored() {
        long unixNs = startUnixNs();
        return timeline.rowCount() > 0 && unixNs >= FIRST_UNIX_NS && unixNs <= LAST_UNIX_NS;
    }

    /** Returns its rank among the processes of a distributed program, empty if not recorded. */
    String rank() {
        return timeline.properties().getOrDefault("distributedInfo.rank", "");
    }

    /** Returns whether both ranks are recorded and differ. */
    boolean isOtherRankThan(Recording other) {
        return !rank().isEmpty() && !other.rank().isEmpty() && !rank().equals(other.rank());
    }

    /** Returns the first start of a row in ns on its own axis, 0 without rows. */
    long startNs() {
        return timeline.tracks().stream()
                .flatMapToInt(track -> timeline.rows(track.id()).limit(1))
                .mapToLong(timeline::startNs)
                .min()
                .orElse(0);
    }

    /** Returns the last end of a row in ns on its own axis, 0 without rows. */
    long endNs() {
        return timeline.rows().mapToLong(timeline::endNs).max().orElse(0);
    }

    /** Returns its start in Unix time, in ns. */
    long startUnixNs() {
        return startNs() + timeline.originUnixNs();
    }

    /** Returns its end in Unix time, in ns. */
    long endUnixNs() {
        return endNs() + timeline.originUnixNs();
    }

    /** Returns the error bound, in ns, of the recording's own clock against Unix time; -1 when not known. */
    long clockErrorNs() {
        return timeline.info().clockDomains().stream()
                .filter(domain -> domain.name().equals("realtime"))
                .mapToLong(domain -> domain.errorBoundNs())
                .max()
                .orElse(-1);
    }

    /** Returns whether another recording is a copy of this one, however it is packed. */
    public boolean isSameAs(Recording other) {
        Timeline a = timeline;
        Timeline b = other.timeline;
        boolean same = a.rowCount() == b.rowCount()
                && a.originUnixNs() == b.originUnixNs()
                && Objects.equals(givenOffsetNs, other.givenOffsetNs)
                && a.properties().equals(b.properties());
        for (int row = 0; same && row < a.rowCount(); row++) {
            same = a.kind(row) == b.kind(row)
                    && a.track(row) == b.track(row)
                    && a.startNs(row) == b.startNs(row)
                    && a.endNs(row) == b.endNs(row)
                    && a.name(row).equals(b.name(row));
        }
        return same;
    }
}

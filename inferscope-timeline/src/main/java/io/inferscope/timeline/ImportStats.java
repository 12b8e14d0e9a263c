package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Counts of the events that an import used, and of those that it dropped, repaired or clipped, by reason. Nothing is
 * lost silently. Immutable.
 */
public final class ImportStats {
    /** What the import did with an event that it could not use unchanged. */
    public enum Effect {
        /** Left out. */
        DROPPED,
        /** Used after a stated repair. */
        REPAIRED,
        /** Left out on purpose, because it is not an event of the timeline. */
        IGNORED
    }

    /** Why an event was not used unchanged. */
    public enum Reason {
        MISSING_DURATION(Effect.DROPPED, "complete event without a duration"),
        NEGATIVE_DURATION(Effect.DROPPED, "device operation with a duration below zero"),
        /** Of an event that need not be of a device: the recorder did not lose the times of device work. */
        NEGATIVE_SPAN(Effect.DROPPED, "duration below zero"),
        /** Old versions of Kineto wrote them. */
        NEGATIVE_RANGE(Effect.REPAIRED, "duration below zero, taken for zero"),
        BAD_TIMESTAMP(Effect.DROPPED, "timestamp missing, not a finite number, or out of range"),
        NOT_TIMED(Effect.DROPPED, "device operation without times: CUPTI did not collect them"),
        /**
         * A stamp of the processor's counter, which another profiler selected instead of the device clock; converted by
         * readings of both clocks.
         */
        OTHER_CLOCK(Effect.REPAIRED, "timestamp of the processor's counter, converted"),
        NOT_AN_EVENT(Effect.DROPPED, "element of the event list that is not an event"),
        UNKNOWN_PHASE(Effect.DROPPED, "event with an unknown phase"),
        UNMATCHED_END(Effect.DROPPED, "end event without its begin"),
        UNCLOSED_BEGIN(Effect.REPAIRED, "begin event without its end, closed at the last timestamp"),
        DUPLICATE_KEY(Effect.REPAIRED, "member named twice in one event, the last one used"),
        BAD_TEXT(Effect.REPAIRED, "text that is not valid UTF-8, replaced"),
        TRUNCATED(Effect.DROPPED, "the input ends before the document does"),
        MALFORMED(Effect.DROPPED, "damaged place, what is around it not read"),
        TRAILING_DATA(Effect.DROPPED, "data after the end of the document"),
        RECORDER_DROPPED(Effect.DROPPED, "record dropped by its recorder"),
        DISK_FULL(Effect.DROPPED, "record dropped by its recorder because the disk was full"),
        CANNOT_GROW(Effect.DROPPED, "record dropped by its recorder because its file could not grow"),
        BAD_CHECKSUM(Effect.REPAIRED, "spool block with a wrong checksum, read record by record"),
        /** Invalid bytes of a spool or of another binary format. */
        BAD_RECORD(Effect.DROPPED, "record that makes no sense"),
        /** A record whose writer was killed while writing it. */
        UNFINISHED_RECORD(Effect.DROPPED, "spool record that its writer did not finish"),
        UNKNOWN_RECORD(Effect.DROPPED, "spool record of an unknown type"),
        OPEN_SPAN(Effect.REPAIRED, "span still open at the end, closed there"),
        /** The host's recording has no record of the program's end, because InferScope was killed earlier. */
        RECORDING_CUT(Effect.REPAIRED, "recording ended before the program did"),
        /** A stack or a call that names a frame missing in the file. */
        UNKNOWN_FRAME(Effect.DROPPED, "stack with a frame whose name is not in the file"),
        BAD_DECLARATION(Effect.DROPPED, "statement about a track or link that does not exist"),
        /** A property outside the event list, beyond the limit on properties. */
        TOO_MANY_PROPERTIES(Effect.IGNORED, "property outside the event list, beyond the number that is read"),
        RECORDED_TWICE(Effect.IGNORED, "event that two parts of one capture hold, kept once"),
        /** A flow event, which repeats Kineto's correlation ids. */
        FLOW(Effect.IGNORED, "flow event"),
        OVERLAY(Effect.IGNORED, "overlay of an earlier analysis"),
        NOT_USED(Effect.IGNORED, "record of a kind that the analysis does not use"),
        CONTRADICTION(Effect.DROPPED, "record whose times contradict those of its neighbours"),
        TWICE(Effect.REPAIRED, "event that is in the input twice, kept once"),
        UNNAMED(Effect.DROPPED, "event whose name is not in the file"),
        NAME_LEFT_OUT(Effect.REPAIRED, "name left out, beyond the number that fits into memory"),
        UNKNOWN_CATEGORY(Effect.REPAIRED, "event of an unknown category, kept under its own name");

        private final Effect effect;
        private final String text;

        Reason(Effect effect, String text) {
            this.effect = effect;
            this.text = text;
        }

        /** Returns what the import does with such an event. */
        public Effect effect() {
            return effect;
        }

        /** Returns a short description in lower case. */
        public String text() {
            return text;
        }
    }

    /**
     * How often one reason applied.
     *
     * @param reason why
     * @param count how many events, records or places
     * @param source name of the file of the first one
     * @param firstOffsetBytes byte offset of the first one in the (inflated) input, -1 when not known
     * @param firstDetail the text found there, or empty
     */
    public record Entry(Reason reason, long count, String source, long firstOffsetBytes, String firstDetail) {}

    private final long eventsRead;
    private final long bytesRead;
    private final long bytesLost;
    private final List<Entry> entries;

    private ImportStats(long eventsRead, long bytesRead, long bytesLost, List<Entry> entries) {
        this.eventsRead = eventsRead;
        this.bytesRead = bytesRead;
        this.bytesLost = bytesLost;
        this.entries = List.copyOf(entries);
    }

    /** Returns how many events or records were read, unusable ones included. */
    public long eventsRead() {
        return eventsRead;
    }

    /** Returns how many bytes were read, after inflation. */
    public long bytesRead() {
        return bytesRead;
    }

    /** Returns how many of the bytes read were passed over because of damage: what they held is lost. */
    public long bytesLost() {
        return bytesLost;
    }

    /** Returns the reasons that applied, in a fixed order. */
    public List<Entry> entries() {
        return entries;
    }

    /** Returns how many events had {@code effect}. */
    public long count(Effect effect) {
        return entries.stream()
                .filter(e -> e.reason().effect() == effect)
                .mapToLong(Entry::count)
                .sum();
    }

    /** Returns how often {@code reason} applied. */
    public long count(Reason reason) {
        return entries.stream()
                .filter(e -> e.reason() == reason)
                .mapToLong(Entry::count)
                .sum();
    }

    /**
     * Returns the dropped and repaired events in words, with the place of the first case of each reason; empty without
     * any.
     */
    public String damage() {
        return entries.stream()
                .filter(e -> e.reason().effect() != Effect.IGNORED)
                .map(e -> e.count() + " x " + e.reason().text()
                        + (e.firstOffsetBytes() >= 0 ? " (first at byte " + e.firstOffsetBytes() + ")" : ""))
                .collect(Collectors.joining(", "));
    }

    /** Counts while importing. Not thread-safe. */
    public static final class Builder {
        private final Map<Reason, Entry> firsts = new EnumMap<>(Reason.class);
        private final long[] counts = new long[Reason.values().length];
        private String source = "";
        private long eventsRead;
        private long bytesRead;
        private long bytesLost;

        /** Names the file that the following counts are about. */
        public Builder source(String name) {
            source = name;
            return this;
        }

        /** Returns a builder without counts for the same file. */
        public Builder sameSource() {
            return new Builder().source(source);
        }

        /** Forgets everything counted; the source stays named. */
        public void clear() {
            firsts.clear();
            Arrays.fill(counts, 0);
            eventsRead = 0;
            bytesRead = 0;
            bytesLost = 0;
        }

        /** Counts one event read. */
        public void event() {
            eventsRead++;
        }

        /** Adds bytes read. */
        public void bytes(long count) {
            bytesRead += count;
        }

        /** Adds bytes, of those read, that were passed over because of damage. */
        public void lost(long count) {
            bytesLost += count;
        }

        /** Counts one case of {@code reason}. */
        public void count(Reason reason, long offsetBytes, String detail) {
            count(reason, 1, offsetBytes, detail);
        }

        /** Counts {@code times} cases of {@code reason}, the first of them at {@code offsetBytes}. */
        public void count(Reason reason, long times, long offsetBytes, String detail) {
            if (times <= 0) {
                return;
            }
            if (counts[reason.ordinal()] == 0) {
                firsts.put(reason, new Entry(reason, 0, source, offsetBytes, detail));
            }
            counts[reason.ordinal()] += times;
        }

        /** Adds the counts of another import. */
        public Builder addAll(ImportStats other) {
            eventsRead += other.eventsRead;
            bytesRead += other.bytesRead;
            bytesLost += other.bytesLost;
            String ownSource = source;
            for (Entry entry : other.entries) {
                source = entry.source();
                count(entry.reason(), entry.count(), entry.firstOffsetBytes(), entry.firstDetail());
            }
            source = ownSource;
            return this;
        }

        /** Returns the counts so far. */
        public ImportStats build() {
            List<Entry> entries = new ArrayList<>();
            firsts.forEach((reason, first) -> entries.add(new Entry(
                    reason, counts[reason.ordinal()], first.source(), first.firstOffsetBytes(), first.firstDetail())));
            return new ImportStats(eventsRead, bytesRead, bytesLost, entries);
        }
    }
}

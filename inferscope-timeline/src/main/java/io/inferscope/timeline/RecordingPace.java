package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A stretch inside a window of recording or between two. For device work, with how many launches the program made in it:
 * counted by the CUDA agent's hooks, whether or not they were recorded. Those of a process, and those of sampling, are
 * properties of a recording, in Unix time.
 *
 * @param detail what was recorded
 * @param launches how many launches there were; of sampling, 1 where the probe stored each record twice, else 0
 * @param busyNs how long threads were in launches and waits for the device, or in short pauses between them; 0 if
 *     not known, negative if not comparable, because they waited for CPUs
 */
public record RecordingPace(Detail detail, long startNs, long endNs, long launches, long busyNs) {
    private static final String DEVICE = "inferscope.device_pace_unix_ns";
    private static final String SAMPLING = "inferscope.sampling_pace_unix_ns";

    /** Only numbers that fit into a long are accepted, because a trace may contain anything. */
    private static final Pattern STRETCH =
            Pattern.compile("([a-z]+):([1-8]?\\d{1,18})-([1-8]?\\d{1,18}):(\\d{1,15})(?::(-?\\d{1,18}))?");

    /** What was recorded, in the order of the spool's values. */
    public enum Detail {
        FULL,
        LAUNCHES,
        KERNELS,
        OFF;

        /** Returns its word on the command line. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    public long lengthNs() {
        return endNs - startNs;
    }

    /** Returns whether the stretch is one between windows. */
    public boolean isBetween() {
        return detail == Detail.OFF;
    }

    /** Notes the stretches of device work of a recording whose zero is at a Unix time. */
    public static void mark(TimelineBuilder builder, List<RecordingPace> stretches, long originUnixNs) {
        mark(builder, DEVICE, stretches, originUnixNs);
    }

    /** Notes the stretches of sampling likewise. */
    public static void markSampling(TimelineBuilder builder, List<RecordingPace> stretches, long originUnixNs) {
        mark(builder, SAMPLING, stretches, originUnixNs);
    }

    private static void mark(
            TimelineBuilder builder, String property, List<RecordingPace> stretches, long originUnixNs) {
        List<String> words = stretches.stream()
                .map(one -> one.detail.word() + ":" + (one.startNs + originUnixNs) + "-" + (one.endNs + originUnixNs)
                        + ":" + one.launches + ":" + one.busyNs)
                .toList();
        builder.property(property, String.join(",", words));
    }

    /** Returns the stretches of device work in their order; empty if launches were not counted. */
    public static List<RecordingPace> of(Timeline timeline) {
        return of(timeline, DEVICE);
    }

    /** Returns the stretches of sampling in their order; empty if it never paused. */
    public static List<RecordingPace> ofSampling(Timeline timeline) {
        return of(timeline, SAMPLING);
    }

    private static List<RecordingPace> of(Timeline timeline, String property) {
        long originNs = timeline.info().originUnixNs();
        List<RecordingPace> stretches = new ArrayList<>();
        for (MatchResult word : STRETCH.matcher(timeline.properties().getOrDefault(property, ""))
                .results()
                .toList()) {
            long startNs = Long.parseLong(word.group(2)) - originNs;
            long endNs = Long.parseLong(word.group(3)) - originNs;
            for (Detail detail : Detail.values()) {
                if (detail.word().equals(word.group(1)) && startNs < endNs) {
                    long busyNs = word.group(5) == null ? 0 : Long.parseLong(word.group(5));
                    stretches.add(new RecordingPace(detail, startNs, endNs, Long.parseLong(word.group(4)), busyNs));
                }
            }
        }
        return stretches;
    }
}

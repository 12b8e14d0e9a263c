package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A stretch inside a window of recorded device work or between two, and how many launches the program made in it:
 * counted by the CUDA agent's hooks, whether or not they were recorded. Those of a process are a property of a recording,
 * in Unix time.
 *
 * @param detail what was recorded
 * @param launches how many launches there were
 */
public record DevicePace(Detail detail, long startNs, long endNs, long launches) {
    private static final String PROPERTY = "inferscope.device_pace_unix_ns";

    /** Only numbers that fit into a long are accepted, because a trace may contain anything. */
    private static final Pattern STRETCH = Pattern.compile("([a-z]+):([1-8]?\\d{1,18})-([1-8]?\\d{1,18}):(\\d{1,15})");

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

    /** Notes the stretches of a recording whose zero is at a Unix time. */
    public static void mark(TimelineBuilder builder, List<DevicePace> stretches, long originUnixNs) {
        List<String> words = stretches.stream()
                .map(one -> one.detail.word() + ":" + (one.startNs + originUnixNs) + "-" + (one.endNs + originUnixNs)
                        + ":" + one.launches)
                .toList();
        builder.property(PROPERTY, String.join(",", words));
    }

    /** Returns the stretches in their order; empty if launches were not counted. */
    public static List<DevicePace> of(Timeline timeline) {
        long originNs = timeline.info().originUnixNs();
        List<DevicePace> stretches = new ArrayList<>();
        for (MatchResult word : STRETCH.matcher(timeline.properties().getOrDefault(PROPERTY, ""))
                .results()
                .toList()) {
            long startNs = Long.parseLong(word.group(2)) - originNs;
            long endNs = Long.parseLong(word.group(3)) - originNs;
            for (Detail detail : Detail.values()) {
                if (detail.word().equals(word.group(1)) && startNs < endNs) {
                    stretches.add(new DevicePace(detail, startNs, endNs, Long.parseLong(word.group(4))));
                }
            }
        }
        return stretches;
    }
}

package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The intervals in which device work was recorded, if the user limited the recording. They are a property of a
 * recording, in Unix time, so a part of the recording, and its trace when read again, have them too.
 */
public final class DeviceWindows {
    private static final String PROPERTY = "inferscope.device_windows_unix_ns";

    /**
     * Least length of a whole window, relative to the longest. A cut window, such as one at the recording's end, is
     * judged only if there is no whole one.
     */
    private static final double WHOLE = 0.9;

    /** Least work of devices in a judged window, relative to the window with the most. */
    private static final double WORKING = 0.1;

    /** Only numbers that fit into a long are accepted, because a trace may contain anything. */
    private static final Pattern WINDOW = Pattern.compile("([1-8]?\\d{1,18})-(" + Long.MAX_VALUE + "|[1-8]?\\d{1,18})");

    private DeviceWindows() {}

    /** Notes the windows of a recording whose zero is at a Unix time. */
    public static void mark(TimelineBuilder builder, Intervals windows, long originUnixNs) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < windows.count(); i++) {
            long endNs = windows.endNs(i);
            words.add((windows.startNs(i) + originUnixNs)
                    + "-"
                    + (endNs == Long.MAX_VALUE ? endNs : endNs + originUnixNs));
        }
        builder.property(PROPERTY, String.join(",", words));
    }

    /** Returns the windows, empty where the whole recording is one. */
    public static Optional<Intervals> of(Timeline timeline) {
        String text = timeline.properties().getOrDefault(PROPERTY, "");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        Intervals.Builder windows = new Intervals.Builder(8);
        long originNs = timeline.info().originUnixNs();
        for (MatchResult word : WINDOW.matcher(text).results().toList()) {
            long startNs = Long.parseLong(word.group(1)) - originNs;
            long endNs = Long.parseLong(word.group(2));
            endNs = endNs == Long.MAX_VALUE ? endNs : endNs - originNs;
            if (startNs < endNs) {
                windows.add(startNs, endNs);
            }
        }
        return Optional.of(windows.build());
    }

    /** Returns the windows as far as the recording reaches. */
    public static Intervals within(Timeline timeline, Intervals windows) {
        long firstNs = Long.MAX_VALUE;
        long lastNs = Long.MIN_VALUE;
        for (int row = 0; row < timeline.rowCount(); row++) {
            firstNs = Math.min(firstNs, timeline.startNs(row));
            lastNs = Math.max(lastNs, timeline.endNs(row));
        }
        return firstNs >= lastNs ? Intervals.EMPTY : windows.clip(firstNs, lastNs);
    }

    /**
     * Returns the number, from 0, of the window to judge: of those that are whole, the last in which devices work. A
     * program's start and end have windows too.
     */
    public static int toJudge(Timeline timeline, Intervals windows) {
        long[] workNs = workNs(timeline, windows);
        long mostNs = Arrays.stream(workNs).max().orElse(0);
        int judged = windows.count() - 1;
        while (judged > 0
                && (windows.endNs(judged) - windows.startNs(judged) < WHOLE * windows.longestNs()
                        || workNs[judged] < WORKING * mostNs)) {
            judged--;
        }
        return judged;
    }

    /** Returns the time of device operations that start in each window, summed, in ns. */
    private static long[] workNs(Timeline timeline, Intervals windows) {
        long[] workNs = new long[windows.count()];
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row).isDeviceOperation()) {
                long startNs = timeline.startNs(row);
                int window = BinarySearch.first(0, windows.count(), i -> windows.endNs(i) > startNs);
                if (window < windows.count() && windows.startNs(window) <= startNs) {
                    workNs[window] += timeline.durationNs(row);
                }
            }
        }
        return workNs;
    }
}

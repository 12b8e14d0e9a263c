package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;

/**
 * Limits the number of properties outside the event list; further ones are skipped and counted. Stack frames have their
 * own limit.
 */
final class PropertyLimit {
    static final int MAX_PROPERTIES = 10_000;

    /** Longest path. Without a limit, nested members with long names would need memory quadratic in their length. */
    static final int MAX_PATH_CHARS = 1 << 10;

    /** Name, parent and category of a million frames. */
    static final int MAX_FRAME_MEMBERS = 3_000_000;

    private static final int MAX_DETAIL_CHARS = 80;
    private static final String FRAMES = "stackFrames";

    private final ImportStats.Builder stats;
    private int properties;
    private int frameMembers;

    PropertyLimit(ImportStats.Builder stats) {
        this.stats = stats;
    }

    /** Returns whether to read the value at a path; counts values that are not read. */
    boolean allows(String path) {
        boolean few = path.startsWith(FRAMES) ? frameMembers < MAX_FRAME_MEMBERS : properties < MAX_PROPERTIES;
        boolean isShort = path.length() <= MAX_PATH_CHARS;
        if (!few || !isShort) {
            stats.count(Reason.TOO_MANY_PROPERTIES, -1, isShort ? path : path.substring(0, MAX_DETAIL_CHARS) + "...");
        }
        return few && isShort;
    }

    private static boolean isFrame(String path) {
        return path.startsWith(FRAMES) && (path.length() == FRAMES.length() || path.charAt(FRAMES.length()) == '.');
    }

    /** Notes that a value was read. */
    void took(String path) {
        if (isFrame(path)) {
            frameMembers++;
        } else {
            properties++;
        }
    }
}

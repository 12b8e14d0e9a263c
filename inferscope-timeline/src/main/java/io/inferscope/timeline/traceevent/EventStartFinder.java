package io.inferscope.timeline.traceevent;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Finds the first place in the middle of a document that looks like the start of an event. */
final class EventStartFinder {
    private static final byte[] EVENTS_KEY = "\"traceEvents\"".getBytes(StandardCharsets.US_ASCII);

    /** Bytes of a quoted member name of events, less one. */
    private static final int KEY_BYTES = 5;

    private EventStartFinder() {}

    /**
     * Returns the position of the first opening brace between a comma and a member name of events, -1 if there is none.
     */
    static int first(byte[] bytes, int limit) {
        return Math.max(-1, first(bytes, 0, limit));
    }

    /**
     * Looks for such a brace, or one that begins the list of events, in {@code bytes[from, limit)}.
     *
     * @return its position; if there is none, -1 less the position from which to look again once there are more bytes
     */
    static int first(byte[] bytes, int from, int limit) {
        int separator = -1;
        for (int at = from; at < limit; at++) {
            byte b = bytes[at];
            if (b == ',' || (b == '[' && opensEvents(bytes, at))) {
                separator = at;
            } else if (b == '{' && separator >= 0) {
                int key = afterSpace(bytes, at + 1, limit);
                if (key + KEY_BYTES >= limit) {
                    return -1 - separator;
                }
                if (isEventKey(bytes, key)) {
                    return at;
                }
                separator = -1;
            } else if (b > ' ' || b < 0) {
                separator = -1;
            }
        }
        return -1 - (separator >= 0 ? separator : limit);
    }

    private static boolean opensEvents(byte[] bytes, int bracket) {
        int at = bracket - 1;
        while (at >= 0 && (bytes[at] == ':' || (bytes[at] <= ' ' && bytes[at] >= 0))) {
            at--;
        }
        int from = at + 1 - EVENTS_KEY.length;
        return from >= 0 && Arrays.equals(bytes, from, at + 1, EVENTS_KEY, 0, EVENTS_KEY.length);
    }

    private static int afterSpace(byte[] bytes, int from, int limit) {
        int at = from;
        while (at < limit && bytes[at] <= ' ' && bytes[at] >= 0) {
            at++;
        }
        return at;
    }

    private static boolean isEventKey(byte[] bytes, int at) {
        if (bytes[at] != '"') {
            return false;
        }
        return switch (bytes[at + 1]) {
            case 'p' -> bytes[at + 3] == '"' ? bytes[at + 2] == 'h' : bytes[at + 4] == '"';
            case 'n' -> bytes[at + 5] == '"';
            case 'c', 't', 'd' -> bytes[at + 4] == '"' || bytes[at + 3] == '"';
            case 'a' -> bytes[at + 5] == '"';
            default -> false;
        };
    }
}

package io.inferscope.timeline.traceevent;

/** Finds the first place in the middle of a document that looks like the start of an event. */
final class EventStartFinder {
    private EventStartFinder() {}

    /**
     * Returns the position of the first opening brace between a comma and a member name of events, -1 if there is none.
     */
    static int first(byte[] bytes, int limit) {
        boolean afterComma = false;
        for (int at = 0; at < limit; at++) {
            byte b = bytes[at];
            if (b == ',') {
                afterComma = true;
            } else if (b == '{' && afterComma && isEventKey(bytes, at + 1, limit)) {
                return at;
            } else if (b > ' ') {
                afterComma = false;
            }
        }
        return -1;
    }

    private static boolean isEventKey(byte[] bytes, int from, int limit) {
        int at = from;
        while (at < limit && bytes[at] <= ' ') {
            at++;
        }
        if (at + 6 >= limit || bytes[at] != '"') {
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

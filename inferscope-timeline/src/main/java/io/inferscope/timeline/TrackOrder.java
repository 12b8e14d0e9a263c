package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The canonical order of tracks: independent of the order in which a source named them. */
final class TrackOrder {
    private TrackOrder() {}

    /** Returns track ids in canonical order: roots by (kind, key), each followed by its children in the same order. */
    static int[] canonical(List<Track> tracks) {
        List<Track> sorted = new ArrayList<>(tracks);
        sorted.sort(TrackOrder::compare);
        Map<Integer, List<Track>> children = new HashMap<>();
        for (Track track : sorted) {
            if (track.parent() >= 0) {
                children.computeIfAbsent(track.parent(), p -> new ArrayList<>()).add(track);
            }
        }
        int[] order = new int[tracks.size()];
        int count = 0;
        for (Track root : sorted) {
            if (root.parent() < 0) {
                order[count++] = root.id();
                for (Track child : children.getOrDefault(root.id(), List.of())) {
                    order[count++] = child.id();
                }
            }
        }
        return order;
    }

    private static int compare(Track a, Track b) {
        return a.kind() != b.kind() ? a.kind().compareTo(b.kind()) : compareKeys(a.key(), b.key());
    }

    /** Compares numbers as numbers and before text. */
    static int compareKeys(String a, String b) {
        boolean aNumber = isNumber(a);
        boolean bNumber = isNumber(b);
        if (aNumber && bNumber) {
            int byValue = new java.math.BigInteger(a).compareTo(new java.math.BigInteger(b));
            return byValue != 0 ? byValue : a.compareTo(b);
        }
        return aNumber == bNumber ? a.compareTo(b) : aNumber ? -1 : 1;
    }

    private static boolean isNumber(String text) {
        int digits = text.startsWith("-") ? 1 : 0;
        if (text.length() == digits) {
            return false;
        }
        for (int i = digits; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }
}

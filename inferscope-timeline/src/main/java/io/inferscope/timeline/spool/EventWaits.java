package io.inferscope.timeline.spool;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Joins events recorded on one stream to the waits of others.
 *
 * <pre>
 *   host      launch A   record e   wait e (stream 8)   launch B
 *   stream 7           AAAAAAAA|e
 *   stream 8                    \-> BBBBB               link A -> B
 * </pre>
 */
final class EventWaits {
    private final TimelineBuilder builder;
    private final List<Recorded> recorded = new ArrayList<>();
    private final List<Wait> waits = new ArrayList<>();
    private final Map<Long, Integer> calls = new HashMap<>();
    private final Map<Integer, List<Launched>> launchedOn = new HashMap<>();

    private record Recorded(long correlation, int track, int event) {}

    private record Wait(long correlation, int track, int event) {}

    private record Launched(long callNs, int operation) {}

    EventWaits(TimelineBuilder builder) {
        this.builder = builder;
    }

    void recorded(long correlation, int track, int event) {
        recorded.add(new Recorded(correlation, track, event));
    }

    void waits(long correlation, int track, int event) {
        waits.add(new Wait(correlation, track, event));
    }

    /** Takes a call; only those that speak of events are kept. */
    void call(long correlation, int row, String name) {
        if (name.contains("Event")) {
            calls.put(correlation, row);
        }
    }

    /** Takes an operation and the call that submitted it. */
    void launched(int call, int operation) {
        if (!waits.isEmpty() && builder.kindAt(operation).isDeviceOperation()) {
            launchedOn
                    .computeIfAbsent(builder.trackAt(operation), track -> new ArrayList<>())
                    .add(new Launched(builder.startNsAt(call), operation));
        }
    }

    /** Adds the links, when everything was taken. */
    void link() {
        launchedOn.values().forEach(list -> list.sort(Comparator.comparingLong(Launched::callNs)));
        for (Wait wait : waits) {
            Integer waitCall = calls.get(wait.correlation());
            if (waitCall == null) {
                continue;
            }
            long waitNs = builder.startNsAt(waitCall);
            int giver = giver(wait.event(), waitNs);
            int taker = giver < 0 ? -1 : first(wait.track(), waitNs);
            if (taker >= 0) {
                builder.link(LinkKind.EVENT_WAIT, giver, taker, 100);
            }
        }
    }

    /** Returns the last operation before the last recording of an event that was made before a time; -1 for none. */
    private int giver(int event, long beforeNs) {
        long lastNs = Long.MIN_VALUE;
        int track = -1;
        for (Recorded candidate : recorded) {
            Integer call = candidate.event() == event ? calls.get(candidate.correlation()) : null;
            if (call != null && builder.startNsAt(call) < beforeNs && builder.startNsAt(call) > lastNs) {
                lastNs = builder.startNsAt(call);
                track = candidate.track();
            }
        }
        List<Launched> launched = launchedOn.getOrDefault(track, List.of());
        int after = firstAfter(launched, lastNs);
        return after > 0 ? launched.get(after - 1).operation() : -1;
    }

    private int first(int track, long afterNs) {
        List<Launched> launched = launchedOn.getOrDefault(track, List.of());
        int after = firstAfter(launched, afterNs);
        return after < launched.size() ? launched.get(after).operation() : -1;
    }

    /** Returns the index of the first one launched after a time. */
    private static int firstAfter(List<Launched> launched, long ns) {
        int from = 0;
        int to = launched.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (launched.get(middle).callNs() > ns) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        return from;
    }
}

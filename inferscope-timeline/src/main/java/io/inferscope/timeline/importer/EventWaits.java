package io.inferscope.timeline.importer;

import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Joins events recorded on one stream to the waits of other streams, and of host calls.
 *
 * <pre>
 *   host      launch A   record e   wait e (stream 8)   launch B     synchronise with e
 *   stream 7           AAAAAAAA|e                                 /
 *   stream 8                    \-> BBBBB               link A -> B, and A -> the call that synchronises
 * </pre>
 *
 * <p>The giver is the last operation launched on the event's stream before the recording call. The taker is the first
 * operation launched on the waiting stream after the waiting call.
 */
public final class EventWaits {
    /** The track of a wait that a host call does itself. */
    private static final int HOST = -1;

    private final TimelineBuilder builder;
    private final Map<Integer, List<Recorded>> recorded = new HashMap<>();
    private final List<Wait> waits = new ArrayList<>();
    private final Set<Long> correlations = new HashSet<>();
    private final Map<Long, Integer> calls = new HashMap<>();
    private final Map<Integer, List<At>> launchedOn = new HashMap<>();
    private final Map<Integer, List<At>> recordings = new HashMap<>();

    private record Recorded(long correlation, int track) {}

    /** A wait for an event by number or, if the number is negative, for the event that one call recorded on a track. */
    private record Wait(long correlation, int track, int event, long recordCorrelation, int recordTrack) {}

    /** A call's begin with the operation that it launched, or the track on which it recorded an event. */
    private record At(long callNs, int what) {}

    /** Joins rows of {@code builder}. */
    public EventWaits(TimelineBuilder builder) {
        this.builder = builder;
    }

    /** Adds that the call with a correlation id recorded an event on a stream's track. */
    public void recorded(long correlation, int track, int event) {
        correlations.add(correlation);
        recorded.computeIfAbsent(event, e -> new ArrayList<>()).add(new Recorded(correlation, track));
    }

    /** Adds that the call with a correlation id made a stream wait for an event. */
    public void waits(long correlation, int track, int event) {
        add(new Wait(correlation, track, event, -1, -1));
    }

    /** Takes that a host call waited for an event. */
    public void hostWaits(long correlation, int event) {
        waits(correlation, HOST, event);
    }

    /**
     * Adds that a call made a stream wait for the event that the call with {@code recordCorrelation} recorded on a
     * stream.
     */
    public void waitsFor(long correlation, int track, long recordCorrelation, int recordTrack) {
        correlations.add(recordCorrelation);
        add(new Wait(correlation, track, -1, recordCorrelation, recordTrack));
    }

    /** Adds that a host call waited for the event that the call with {@code recordCorrelation} recorded on a stream. */
    public void hostWaitsFor(long correlation, long recordCorrelation, int recordTrack) {
        waitsFor(correlation, HOST, recordCorrelation, recordTrack);
    }

    private void add(Wait wait) {
        correlations.add(wait.correlation());
        waits.add(wait);
    }

    /**
     * Adds an API call. Calls that neither record an event nor wait for one are ignored, provided that everything else
     * was added before.
     */
    public void call(long correlation, int row, String name) {
        if (isOfEvents(name)) {
            calls.put(correlation, row);
        }
    }

    /** Returns whether an API call of that name records an event or waits for one. */
    public static boolean isOfEvents(String name) {
        return name.contains("Event");
    }

    /** Takes the calls among the rows that are there already. */
    public void callsOfRows() {
        for (int row = 0; row < builder.rowCount(); row++) {
            if (builder.kindAt(row).isApiCall() && correlations.contains(builder.correlationAt(row))) {
                calls.put(builder.correlationAt(row), row);
            }
        }
    }

    /** Adds an operation and the call that submitted it. */
    public void launched(int call, int operation) {
        if (!waits.isEmpty() && builder.kindAt(operation).isDeviceOperation()) {
            launchedOn
                    .computeIfAbsent(builder.trackAt(operation), track -> new ArrayList<>())
                    .add(new At(builder.startNsAt(call), operation));
        }
    }

    /** Adds the links, when everything was taken. */
    public void link() {
        launchedOn.values().forEach(list -> list.sort(Order.comparingLong(At::callNs)));
        for (Wait wait : waits) {
            Integer waitCall = calls.get(wait.correlation());
            if (waitCall == null) {
                continue;
            }
            long waitNs = builder.startNsAt(waitCall);
            int giver = wait.event() < 0 ? giver(wait) : giver(wait.event(), waitNs);
            int taker = giver < 0 ? -1 : wait.track() == HOST ? waitCall : first(wait.track(), waitNs);
            if (taker >= 0) {
                builder.link(LinkKind.EVENT_WAIT, giver, taker, 100);
            }
        }
    }

    private int giver(Wait wait) {
        Integer call = calls.get(wait.recordCorrelation());
        return call == null ? -1 : last(wait.recordTrack(), builder.startNsAt(call));
    }

    /** Returns the last operation before the last recording of an event that was made before a time; -1 for none. */
    private int giver(int event, long beforeNs) {
        List<At> ofEvent = recordings.computeIfAbsent(event, this::recordings);
        int after = firstAfter(ofEvent, beforeNs - 1);
        return after == 0
                ? -1
                : last(ofEvent.get(after - 1).what(), ofEvent.get(after - 1).callNs());
    }

    /** Returns the recordings of an event whose calls are known, in the order of the calls. */
    private List<At> recordings(int event) {
        List<At> ofEvent = new ArrayList<>();
        for (Recorded candidate : recorded.getOrDefault(event, List.of())) {
            Integer call = calls.get(candidate.correlation());
            if (call != null) {
                ofEvent.add(new At(builder.startNsAt(call), candidate.track()));
            }
        }
        ofEvent.sort(Order.comparingLong(At::callNs));
        return ofEvent;
    }

    /** Returns the last operation launched on a track up to a time, -1 for none. */
    private int last(int track, long upToNs) {
        List<At> launched = launchedOn.getOrDefault(track, List.of());
        int after = firstAfter(launched, upToNs);
        return after > 0 ? launched.get(after - 1).what() : -1;
    }

    private int first(int track, long afterNs) {
        List<At> launched = launchedOn.getOrDefault(track, List.of());
        int after = firstAfter(launched, afterNs);
        return after < launched.size() ? launched.get(after).what() : -1;
    }

    /** Returns the index of the first one whose call began after a time. */
    private static int firstAfter(List<At> launched, long ns) {
        return BinarySearch.first(0, launched.size(), i -> launched.get(i).callNs() > ns);
    }
}

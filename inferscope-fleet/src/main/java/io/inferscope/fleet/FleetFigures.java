package io.inferscope.fleet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the rows of a fleet say together: device time and its idle part by recording, and losses by their reason. */
final class FleetFigures {
    /** Stands for recordings without the label. */
    static final String NO_SERVICE = "(no service)";

    /**
     * The device time of a recording: that of all its devices in the window.
     *
     * @param byClass its time by class of the ledger, in ns
     */
    record Device(
            String traceId,
            String name,
            String service,
            @Nullable String day,
            Map<String, Long> byClass,
            long ns,
            long idleNs) {}

    /**
     * Losses that have a reason in common.
     *
     * @param recordings how many have it
     * @param ns their sum
     */
    record Loss(String reason, String detail, int recordings, long ns, long gainLowNs, long gainHighNs) {}

    private static final class Sum {
        private int recordings;
        private String last = "";
        private long ns;
        private long lowNs;
        private long highNs;

        private void add(String traceId, long addedNs) {
            if (!traceId.equals(last)) { // The rows of a recording follow each other.
                recordings++;
                last = traceId;
            }
            ns += addedNs;
        }
    }

    private record Trace(
            String name, String service, @Nullable String day) {}

    private final Map<String, Trace> trusted = new HashMap<>();
    private final Map<String, Device> devices = new HashMap<>();
    private final Map<String, String> busyClasses = new HashMap<>();
    private final Map<List<String>, Sum> places = new HashMap<>();
    private final Map<List<String>, Sum> rules = new HashMap<>();
    private final Map<String, Integer> untrusted = new TreeMap<>();
    private int recordings;

    /** Reads a folder of sets. */
    FleetFigures(SummarySets sets) throws IOException {
        sets.read(FleetTable.TRACE, "trace_id name service day trust trust_check", this::trace);
        sets.read(FleetTable.LEDGER, "trace_id device part class busy ns", this::ledger);
        sets.read(FleetTable.BLAME, "trace_id part cause place activity ns", this::blame);
        sets.read(FleetTable.FINDING, "trace_id rule status cost_ns gain_low_ns gain_high_ns", this::finding);
    }

    private void trace(List<@Nullable Object> row) {
        recordings++;
        if (RecordingRows.OK.equals(row.get(4))) {
            String service = text(row.get(2));
            trusted.put(text(row.get(0)), new Trace(text(row.get(1)), service.isEmpty() ? NO_SERVICE : service, (String)
                    row.get(3)));
        } else {
            untrusted.merge(row.get(5) == null ? text(row.get(4)) : text(row.get(5)), 1, Integer::sum);
        }
    }

    private void ledger(List<@Nullable Object> row) {
        String id = text(row.get(0));
        Trace trace = trusted.get(id);
        if (trace == null || row.get(1) == null || !"window".equals(row.get(2))) {
            return;
        }
        String ledgerClass = text(row.get(3));
        boolean busy = number(row.get(4)) == 1;
        long ns = number(row.get(5));
        if (busy) {
            busyClasses.put(ledgerClass, "busy");
        }
        Device known = devices.get(id);
        Map<String, Long> byClass = known == null ? new HashMap<>() : known.byClass();
        byClass.merge(ledgerClass, ns, Long::sum);
        long before = known == null ? 0 : known.ns();
        long idleBefore = known == null ? 0 : known.idleNs();
        devices.put(
                id,
                new Device(
                        id,
                        trace.name(),
                        trace.service(),
                        trace.day(),
                        byClass,
                        before + ns,
                        idleBefore + (busy ? 0 : ns)));
    }

    private void blame(List<@Nullable Object> row) {
        String id = text(row.get(0));
        String place = text(row.get(3)).isEmpty() ? text(row.get(4)) : text(row.get(3));
        if (trusted.containsKey(id) && !place.isEmpty()) {
            places.computeIfAbsent(List.of(place, text(row.get(2))), key -> new Sum())
                    .add(id, number(row.get(5)));
        }
    }

    private void finding(List<@Nullable Object> row) {
        String id = text(row.get(0));
        if (trusted.containsKey(id) && "found".equals(row.get(2))) {
            Sum sum = rules.computeIfAbsent(List.of(text(row.get(1)), ""), key -> new Sum());
            sum.add(id, number(row.get(3)));
            sum.lowNs += number(row.get(4));
            sum.highNs += number(row.get(5));
        }
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static long number(@Nullable Object value) {
        return value instanceof Long number ? number : 0;
    }

    int recordings() {
        return recordings;
    }

    /** Returns how many recordings the figures leave out, by the reason. */
    Map<String, Integer> untrusted() {
        return untrusted;
    }

    int trustedCount() {
        return trusted.size();
    }

    /** Returns the recordings with a device, by id. */
    List<Device> devices() {
        List<Device> sorted = new ArrayList<>(devices.values());
        sorted.sort((a, b) -> a.traceId().compareTo(b.traceId()));
        return sorted;
    }

    /** Returns the idle time of device time by a property of recordings; those without it are left out. */
    Map<String, Shares> idle(Function<Device, @Nullable String> property) {
        Map<String, Shares> shares = new TreeMap<>();
        for (Device device : devices()) {
            String key = property.apply(device);
            if (key != null) {
                shares.computeIfAbsent(key, name -> new Shares()).add(device.idleNs(), device.ns());
            }
        }
        return shares;
    }

    /** Returns the time of idle classes, and the device time of all recordings as their whole. */
    Map<String, Shares> idleClasses() {
        Map<String, Shares> shares = new TreeMap<>();
        List<Device> all = devices();
        all.forEach(device -> device.byClass().keySet().stream()
                .filter(one -> !busyClasses.containsKey(one))
                .forEach(one -> shares.putIfAbsent(one, new Shares())));
        shares.forEach((one, share) ->
                all.forEach(device -> share.add(device.byClass().getOrDefault(one, 0L), device.ns())));
        return shares;
    }

    /** Returns idle time by place and cause, the largest first. */
    List<Loss> places() {
        return sorted(places);
    }

    /** Returns the cost of findings by rule, the largest first. */
    List<Loss> rules() {
        return sorted(rules);
    }

    private static List<Loss> sorted(Map<List<String>, Sum> sums) {
        List<Loss> losses = new ArrayList<>();
        sums.forEach((key, sum) ->
                losses.add(new Loss(key.get(0), key.get(1), sum.recordings, sum.ns, sum.lowNs, sum.highNs)));
        losses.sort((a, b) -> a.ns() != b.ns()
                ? Long.compare(b.ns(), a.ns())
                : (a.reason() + a.detail()).compareTo(b.reason() + b.detail()));
        return losses;
    }
}

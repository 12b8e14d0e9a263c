package io.inferscope.analyzer.collectives;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.collectives.Collective.Arrival;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * The collectives in which several GPUs of a recording took part: GPUs of several ranks, or of one process. Kernels
 * with equal name, collective and process group, as far as recorded, are matched by their order if every GPU has
 * equally many of them, otherwise by their common time. A collective cannot end on one GPU before it began on another,
 * so matches without common time are dropped; if there are many such matches, nothing is reported.
 */
public final class Collectives {
    /** Possible difference of the clocks of two GPUs of one node, because CUPTI interpolates stamps. */
    static final long CLOCK_ERROR_NS = 50_000;
    /** The share of matches that must have common time. */
    private static final double TRUSTED = 0.9;

    private final List<Collective> matched;
    private final Map<DeviceActivity, Intervals> waiting = new LinkedHashMap<>();
    private final Map<DeviceActivity, Lateness> lateness = new LinkedHashMap<>();

    private Collectives(List<Collective> matched) {
        this.matched = matched;
        Map<DeviceActivity, Intervals.Builder> building = new LinkedHashMap<>();
        for (Collective collective : matched) {
            for (Arrival arrival : collective.arrivals()) {
                building.computeIfAbsent(arrival.device(), unseen -> new Intervals.Builder(16))
                        .add(arrival.startNs(), collective.waitsUntilNs(arrival));
            }
        }
        building.forEach((device, builder) -> waiting.put(device, builder.build()));
    }

    /** Returns the collectives of an analysis; none if only one GPU takes part or they cannot be matched. */
    public static Collectives of(Analysis analysis) {
        return analysis.once(Collectives.class, a -> new Collectives(match(a)));
    }

    private static List<Collective> match(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<String, Map<DeviceActivity, List<Arrival>>> bySort = new TreeMap<>();
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                int row = device.row(i);
                Message message = device.isCommunication(row) ? Message.of(timeline, row) : null;
                if (message != null && !message.isPointToPoint()) {
                    String sort = String.join("|", timeline.name(row), message.name(), message.group());
                    bySort.computeIfAbsent(sort, unseen -> new LinkedHashMap<>())
                            .computeIfAbsent(device, unseen -> new ArrayList<>())
                            .add(new Arrival(device, row, timeline.startNs(row), timeline.endNs(row)));
                }
            }
        }
        List<Collective> all = new ArrayList<>();
        bySort.forEach((sort, devices) ->
                all.addAll(match(sort.substring(0, sort.indexOf('|')), new ArrayList<>(devices.values()))));
        List<Collective> trusted = all.stream()
                .filter(collective -> collective.commonNs() >= -CLOCK_ERROR_NS)
                .sorted(Order.comparingLong(Collective::firstNs))
                .toList();
        return trusted.size() >= TRUSTED * all.size() ? trusted : List.of();
    }

    private static List<Collective> match(String name, List<List<Arrival>> devices) {
        List<Collective> all = new ArrayList<>();
        if (devices.size() < 2) {
            return all;
        }
        boolean alike = devices.stream().mapToInt(List::size).distinct().count() == 1;
        List<Arrival> fewest =
                devices.stream().min(Order.comparingInt(List::size)).orElseThrow();
        int[] next = new int[devices.size()];
        for (int i = 0; i < fewest.size(); i++) {
            List<Arrival> arrivals = new ArrayList<>();
            for (int d = 0; d < next.length; d++) {
                List<Arrival> own = devices.get(d);
                while (!alike
                        && next[d] < own.size()
                        && own.get(next[d]).endNs() <= fewest.get(i).startNs()) {
                    next[d]++;
                }
                int at = alike ? i : next[d];
                if (at < own.size()
                        && (alike || own.get(at).startNs() < fewest.get(i).endNs())) {
                    arrivals.add(own.get(at));
                    next[d]++; // A kernel belongs to one collective only.
                }
            }
            if (arrivals.size() > 1) {
                all.add(new Collective(name, arrivals));
            }
        }
        return all;
    }

    /** Returns the collectives in the order of time. */
    public List<Collective> matched() {
        return matched;
    }

    /** Returns when a GPU waited in a collective for the last one. */
    public Intervals waiting(DeviceActivity device) {
        return waiting.getOrDefault(device, Intervals.EMPTY);
    }

    /** Returns the GPU that waited longest; empty without collectives. */
    public Optional<DeviceActivity> victim() {
        return waiting.keySet().stream()
                .max(Order.comparingLong(device -> waiting(device).totalNs()));
    }

    /** Returns whether a GPU's communication is mostly waiting for others. */
    public boolean isMostlyWaiting(DeviceActivity device) {
        return 2 * waiting(device).totalNs() > inCollectivesNs(device);
    }

    /** Returns how long the kernels of a GPU's collectives ran, in ns. */
    public long inCollectivesNs(DeviceActivity device) {
        return arrivals(device).stream().mapToLong(a -> a.endNs() - a.startNs()).sum();
    }

    private List<Arrival> arrivals(DeviceActivity device) {
        return matched.stream()
                .flatMap(collective -> collective.arrivals().stream())
                .filter(arrival -> arrival.device() == device)
                .toList();
    }

    /** Returns the GPU for which {@code victim} waited longest; empty if it waited for none. */
    public Optional<DeviceActivity> awaited(DeviceActivity victim) {
        Map<DeviceActivity, Long> awaited = new LinkedHashMap<>();
        for (Collective collective : matched) {
            for (Arrival arrival : collective.arrivals()) {
                if (arrival.device() == victim && collective.last().device() != victim) {
                    awaited.merge(
                            collective.last().device(),
                            collective.waitsUntilNs(arrival) - arrival.startNs(),
                            Long::sum);
                }
            }
        }
        ToLongFunction<Map.Entry<DeviceActivity, Long>> ns = Map.Entry::getValue;
        return awaited.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .max(Order.comparingLong(ns))
                .map(Map.Entry::getKey);
    }

    /**
     * Returns why a GPU arrived last in the collectives it was last in; computed once, because it walks the GPU's idle
     * time.
     */
    public Lateness lateness(Analysis analysis, DeviceActivity late) {
        return lateness.computeIfAbsent(late, device -> Lateness.of(analysis, device, matched));
    }

    /** Returns the collectives at which a GPU arrived last. */
    public List<Collective> last(DeviceActivity device) {
        return matched.stream()
                .filter(collective -> collective.last().device() == device)
                .toList();
    }
}

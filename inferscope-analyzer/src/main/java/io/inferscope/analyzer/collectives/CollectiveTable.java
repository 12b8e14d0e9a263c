package io.inferscope.analyzer.collectives;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.WorkTables.CollectiveFigures;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collectives by kind and group: bytes sent, rate, and the ranks' waiting time. */
public final class CollectiveTable {
    private CollectiveTable() {}

    private static final class Sum {
        final List<Message> messages = new ArrayList<>();
        final List<Double> rates = new ArrayList<>();
        final List<Double> busRates = new ArrayList<>();
        long calls;
        long totalNs;

        @Nullable
        Long waitingNs;

        @Nullable
        Long skewNs;

        long ranks;

        /** Adds a kernel, in which data moves for {@code movesNs}; 0 where that is not known. */
        void add(Message message, long ns, long movesNs, long participants) {
            messages.add(message);
            calls++;
            totalNs += ns;
            ranks = Math.max(ranks, participants);
            if (message.bytes() > 0 && movesNs > 0) {
                double rate = message.bytes() * 1e9 / movesNs;
                rates.add(rate);
                if (participants > 1) {
                    busRates.add(rate * message.busFactor(participants));
                }
            }
        }

        CollectiveFigures figures(String name, String group) {
            long[] bytes = messages.stream()
                    .mapToLong(Message::bytes)
                    .filter(b -> b >= 0)
                    .sorted()
                    .toArray();
            return new CollectiveFigures(
                    name,
                    group,
                    ranks,
                    calls,
                    bytes.length == 0 ? null : bytes[bytes.length / 2],
                    totalNs,
                    waitingNs,
                    skewNs,
                    median(rates),
                    median(busRates));
        }

        private static @Nullable Double median(List<Double> values) {
            double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
            Arrays.sort(sorted);
            return sorted.length == 0 ? null : (Double) sorted[sorted.length / 2];
        }
    }

    /** Returns one line per sort of collective and group, the most time first. */
    public static List<CollectiveFigures> of(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<Integer, Collective> collectives = new HashMap<>();
        for (Collective collective : Collectives.of(analysis).matched()) {
            collective.arrivals().forEach(arrival -> collectives.put(arrival.row(), collective));
        }
        Map<String, Map<String, Sum>> sums = new TreeMap<>();
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                int row = device.row(i);
                if (device.isCommunication(row)) {
                    Message message = Message.of(timeline, row);
                    String name = message.name().isEmpty() ? timeline.name(row) : message.name();
                    add(
                            sums.computeIfAbsent(name, n -> new TreeMap<>())
                                    .computeIfAbsent(message.group(), g -> new Sum()),
                            message,
                            collectives.get(row),
                            timeline,
                            row);
                }
            }
        }
        List<CollectiveFigures> figures = new ArrayList<>();
        sums.forEach((name, groups) -> groups.forEach((group, sum) -> figures.add(sum.figures(name, group))));
        figures.sort(Order.comparingLong(CollectiveFigures::totalNs).reversed());
        return figures;
    }

    private static void add(Sum sum, Message message, @Nullable Collective collective, Timeline timeline, int row) {
        long ns = timeline.durationNs(row);
        if (collective == null) {
            sum.add(message, ns, ns, message.ranks());
            return;
        }
        long waitsNs = collective.waitsUntilNs(timeline.startNs(row), timeline.endNs(row)) - timeline.startNs(row);
        sum.waitingNs = Objects.requireNonNullElse(sum.waitingNs, 0L) + waitsNs;
        sum.skewNs = Math.max(Objects.requireNonNullElse(sum.skewNs, 0L), collective.skewNs());
        int arrived = collective.arrivals().size();
        long ranks = Math.max(message.ranks(), arrived);
        // An unrecorded rank may arrive last, and a time within the clocks' error proves nothing.
        boolean known = arrived == ranks && (waitsNs == 0 || ns - waitsNs >= Collectives.CLOCK_ERROR_NS);
        sum.add(message, ns, known ? ns - waitsNs : 0, ranks);
    }
}

package io.inferscope.analyzer.knowledge;

import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Operators that exist on an accelerator only: table device-operators.tsv. */
public final class DeviceOperators {
    private static final List<Knowledge.Meaning<String>> ON_DEVICES =
            Knowledge.patterns(Knowledge.rows("device-operators.tsv"), Knowledge.Row::means).stream()
                    .map(row -> new Knowledge.Meaning<>(row.means(), row.regex()))
                    .toList();

    /** On a CPU, one number is copied in a microsecond: what takes longer waits for a device to compute it. */
    private static final long WAITING_NS = 100_000;

    /** Of all operators' time, such waits have at least this share. */
    private static final double LEAST_WAITING = 0.01;

    private DeviceOperators() {}

    /**
     * Operators of one kind of accelerator.
     *
     * @param device the kind of device
     * @param names their names, those with most time first
     */
    public record Seen(String device, List<String> names) {}

    /** Returns the operators of a timeline, given as rows, that ran on an accelerator; no name if none did. */
    public static Seen of(Timeline timeline, int[] operators) {
        Map<String, Long> times = new HashMap<>();
        Map<String, Boolean> known = new HashMap<>();
        String device = "";
        long allNs = 0;
        long copies = 0;
        long waits = 0;
        long waitingNs = 0;
        String copy = "";
        for (int row : operators) {
            String name = timeline.name(row);
            long ns = timeline.durationNs(row);
            allNs += ns;
            if (known.computeIfAbsent("copies " + name, key -> NameRole.COPIES_NUMBER.in(name))) {
                copy = name;
                copies++;
                waits += ns >= WAITING_NS ? 1 : 0;
                waitingNs += ns >= WAITING_NS ? ns : 0;
            }
            String provider = timeline.attributeText(row, Attribute.PROVIDER);
            if (known.computeIfAbsent(name + ' ' + provider, key -> device(name, provider) != null)) {
                device = device.isEmpty() ? String.valueOf(device(name, provider)) : device;
                times.merge(name, ns, Long::sum);
            }
        }
        if (2 * waits > copies && waitingNs >= LEAST_WAITING * allNs) {
            device = device.isEmpty() ? "GPU" : device;
            times.put(copy + ", which copies one number in " + Units.duration(waitingNs / waits), waitingNs);
        }
        return new Seen(
                device,
                times.entrySet().stream()
                        .sorted(Order.largestFirst())
                        .map(Map.Entry::getKey)
                        .toList());
    }

    private static @Nullable String device(String name, String provider) {
        String device = Knowledge.found(ON_DEVICES, name);
        return device == null ? Knowledge.found(ON_DEVICES, provider) : device;
    }
}

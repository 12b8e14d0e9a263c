package io.inferscope.analyzer.knowledge;

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
        for (int row : operators) {
            String name = timeline.name(row);
            String detail = timeline.attributeText(row, Attribute.DETAIL);
            if (known.computeIfAbsent(detail.isEmpty() ? name : detail, key -> device(name, detail) != null)) {
                device = device.isEmpty() ? String.valueOf(device(name, detail)) : device;
                times.merge(name, timeline.durationNs(row), Long::sum);
            }
        }
        return new Seen(
                device,
                times.entrySet().stream()
                        .sorted(Order.largestFirst())
                        .map(Map.Entry::getKey)
                        .toList());
    }

    private static @Nullable String device(String name, String detail) {
        String device = Knowledge.found(ON_DEVICES, name);
        return device == null ? Knowledge.found(ON_DEVICES, detail) : device;
    }
}

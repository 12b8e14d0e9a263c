package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.KernelCategory;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The time of the headline device's kernels in the judged part by category. Kernels that run at the same time each
 * count in full.
 */
public final class KernelCategoryTime {
    public record Named(String name, KernelCategory category, long ns, long count) {}

    private final Map<KernelCategory, Long> byCategory = new EnumMap<>(KernelCategory.class);
    private final List<Named> names = new ArrayList<>();
    private long totalNs;

    /** Returns the kernel time of an analysis, computed once. */
    public static KernelCategoryTime of(Analysis analysis) {
        return analysis.once(KernelCategoryTime.class, KernelCategoryTime::new);
    }

    private KernelCategoryTime(Analysis analysis) {
        analysis.headline().ifPresent(device -> add(analysis, device));
        names.sort(Order.comparingLong(Named::ns).reversed().thenComparing(Named::name));
    }

    private void add(Analysis analysis, DeviceActivity device) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        long[] ns = new long[timeline.nameCount()];
        long[] counts = new long[timeline.nameCount()];
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            long inNs = Math.min(timeline.endNs(row), part.endNs()) - Math.max(timeline.startNs(row), part.startNs());
            if (timeline.kind(row) == RowKind.KERNEL && inNs > 0) {
                ns[timeline.nameId(row)] += inNs;
                counts[timeline.nameId(row)]++;
            }
        }
        for (int name = 0; name < ns.length; name++) {
            if (counts[name] > 0) {
                KernelCategory category = analysis.kernelNames().category(name);
                names.add(new Named(timeline.text(name), category, ns[name], counts[name]));
                byCategory.merge(category, ns[name], Long::sum);
                totalNs += ns[name];
            }
        }
    }

    /** Returns the time of all kernels, in ns. */
    public long totalNs() {
        return totalNs;
    }

    /** Returns the time of those of a category, in ns. */
    public long ns(KernelCategory category) {
        return byCategory.getOrDefault(category, 0L);
    }

    /** Returns the categories that take any time, longest first. */
    public List<KernelCategory> categories() {
        return byCategory.keySet().stream()
                .sorted(Order.comparingLong(this::ns).reversed())
                .toList();
    }

    /** Returns the kernels by name, longest first. */
    public List<Named> names() {
        return List.copyOf(names);
    }
}

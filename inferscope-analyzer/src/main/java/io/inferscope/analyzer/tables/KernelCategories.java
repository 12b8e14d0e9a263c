package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.KernelNames;
import io.inferscope.analyzer.model.WorkTables.CategoryFigures;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The time of device operations by category and by the library of their kernels. */
final class KernelCategories {
    private static final String MEMORY = "copies and sets";

    private KernelCategories() {}

    private record Key(String category, String library) {}

    /** Returns one line per category and library, longest first. */
    static List<CategoryFigures> of(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        KernelNames names = analysis.kernelNames();
        long[] ns = new long[timeline.nameCount()];
        long[] counts = new long[timeline.nameCount()];
        Map<Key, long[]> sums = new TreeMap<>(Order.comparing(Key::category).thenComparing(Key::library));
        long[] all = {0};
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                int row = device.row(i);
                all[0] += timeline.durationNs(row);
                if (timeline.kind(row) == RowKind.KERNEL) {
                    ns[timeline.nameId(row)] += timeline.durationNs(row);
                    counts[timeline.nameId(row)]++;
                } else {
                    add(sums, new Key(MEMORY, ""), 1, timeline.durationNs(row));
                }
            }
        }
        for (int name = 0; name < ns.length; name++) {
            if (counts[name] > 0) {
                Key key = new Key(names.category(name).words(), names.library(name));
                add(sums, key, counts[name], ns[name]);
            }
        }
        List<CategoryFigures> figures = new ArrayList<>();
        sums.forEach((key, sum) -> figures.add(new CategoryFigures(
                key.category(), key.library(), sum[0], sum[1], all[0] == 0 ? 0 : (double) sum[1] / all[0])));
        figures.sort(Order.comparingLong(CategoryFigures::totalNs).reversed());
        return figures;
    }

    private static void add(Map<Key, long[]> sums, Key key, long count, long ns) {
        long[] sum = sums.computeIfAbsent(key, k -> new long[2]);
        sum[0] += count;
        sum[1] += ns;
    }
}

package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.HostTables.NativeModuleFigures;
import io.inferscope.analyzer.model.SamplingError;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** In which libraries and executables of each process stack samples were taken. */
final class NativeModuleTable {
    private static final int LARGEST = 50;

    private record Key(int process, String module) {}

    private static final class Totals {
        private final SamplingError self = new SamplingError();
        private long samples;
        private int row;
    }

    private NativeModuleTable() {}

    /** Returns one line per process and file, the hottest first, cut to the hottest. Samples of waits do not count. */
    static List<NativeModuleFigures> of(Analysis analysis) {
        if (!analysis.has(RowKind.STACK_SAMPLE)) {
            return List.of();
        }
        Timeline timeline = analysis.timeline();
        Stacks stacks = timeline.stacks();
        Map<Key, Totals> modules = new HashMap<>();
        Map<Integer, String> names = new HashMap<>();
        long sampledNs = 0;
        for (int row : analysis.rows(RowKind.STACK_SAMPLE)) {
            long stack = timeline.attribute(row, Attribute.STACK);
            int process = timeline.tracks().get(timeline.track(row)).parent();
            boolean waits =
                    analysis.classify(row).isWaiting() || analysis.classifier().sawWaiting(row);
            if (stack < 0 || process < 0 || waits) {
                continue;
            }
            sampledNs += timeline.durationNs(row);
            String module =
                    names.computeIfAbsent((int) stack, s -> stacks.frame(s).library());
            if (!module.isEmpty()) {
                Totals totals = modules.computeIfAbsent(new Key(process, module), key -> new Totals());
                totals.row = row;
                totals.samples += Math.max(1, timeline.attribute(row, Attribute.SAMPLES));
                totals.self.add(timeline.durationNs(row), analysis.classifier().sampleNs(row));
            }
        }
        return figures(timeline, modules, sampledNs);
    }

    private static List<NativeModuleFigures> figures(Timeline timeline, Map<Key, Totals> modules, long sampledNs) {
        List<NativeModuleFigures> figures = new ArrayList<>();
        modules.forEach((key, totals) -> {
            String property =
                    ProcessFact.property(timeline.tracks().get(key.process).key(), "module." + key.module);
            figures.add(new NativeModuleFigures(
                    Threads.process(timeline, timeline.track(totals.row)),
                    key.module,
                    totals.samples,
                    totals.self.sampledNs(),
                    totals.self.boundNs(sampledNs),
                    timeline.properties().getOrDefault(property + ".path", ""),
                    timeline.properties().getOrDefault(property + ".build_id", "")));
        });
        figures.sort(Order.comparingLong(NativeModuleFigures::selfNs)
                .reversed()
                .thenComparing(NativeModuleFigures::process)
                .thenComparing(NativeModuleFigures::module));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }
}

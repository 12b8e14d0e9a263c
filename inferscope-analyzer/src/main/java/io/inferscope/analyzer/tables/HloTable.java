package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.WorkTables.HloFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The time of XLA's operations. A kernel of a JAX profile names the HLO instruction that it computes, and its module;
 * the instruction's name without its number tells what it is, and the HLO module, if the profile has it, tells more.
 * XLA names fusions after their kind and their heroes, {@code loop_add_fusion}, {@code input_reduce_fusion} (its pass
 * {@code RenameFusions}), and other instructions after their opcode or the target of their custom call.
 */
final class HloTable {
    private static final int MOST = 30;

    /** An instruction's name: what XLA calls it after, and numbers. */
    private static final Pattern NAME = Pattern.compile("([a-z][\\w-]*?)(?:\\.(?:\\d+|clone|remat\\d*))*");

    /** A call without a name of its own. */
    private static final String CALL = "custom-call";

    /** A fusion with one operation inside. */
    private static final String SINGLE = "wrapped_";

    /** The first that is found in what the module says counts; without that, in the name. */
    private static final List<Knowledge.Meaning<String>> CATEGORIES = Knowledge.rows("hlo.tsv").stream()
            .map(row -> new Knowledge.Meaning<>(row.means(), row.pattern()))
            .toList();

    private final Timeline timeline;
    private final Map<Instruction, Optional<Sum>> ofInstruction = new HashMap<>();
    private final Map<String, Sum> sums = new HashMap<>();
    private long allNs;

    /** The name ids of an instruction, its module and what the module says of it, {@link Attribute#ABSENT} for none. */
    private record Instruction(long name, long module, long meaning) {}

    private static final class Sum {
        private final String operation;
        private final String category;
        private final String module;
        private final Map<String, Long> byPlace = new TreeMap<>();
        private long count;
        private long totalNs;

        Sum(String operation, String category, String module) {
            this.operation = operation;
            this.category = category;
            this.module = module;
        }

        void add(long ns, String where) {
            count++;
            totalNs += ns;
            byPlace.merge(where, ns, Long::sum);
        }

        /** Returns the line that most of the time comes from. */
        String where() {
            return Order.largest(byPlace).orElseThrow();
        }
    }

    private HloTable(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Returns one line per operation and module, longest first, cut to the longest. */
    static List<HloFigures> of(Analysis analysis) {
        HloTable table = new HloTable(analysis.timeline());
        if (analysis.timeline().has(Attribute.HLO_MODULE)) {
            analysis.devices().forEach(table::add);
        }
        List<HloFigures> figures = new ArrayList<>();
        table.sums
                .values()
                .forEach(sum -> figures.add(new HloFigures(
                        sum.operation,
                        sum.category,
                        sum.module,
                        sum.count,
                        sum.totalNs,
                        (double) sum.totalNs / table.allNs,
                        sum.where())));
        figures.sort(Order.comparingLong(HloFigures::totalNs)
                .reversed()
                .thenComparing(HloFigures::operation)
                .thenComparing(HloFigures::module));
        return figures.subList(0, Math.min(MOST, figures.size()));
    }

    private void add(DeviceActivity device) {
        for (int i = 0; i < device.operationCount(); i++) {
            int row = device.row(i);
            allNs += timeline.durationNs(row);
            Instruction instruction = new Instruction(
                    timeline.attribute(row, Attribute.HLO_INSTRUCTION),
                    timeline.attribute(row, Attribute.HLO_MODULE),
                    timeline.attribute(row, Attribute.HLO_MEANING));
            if (timeline.kind(row) == RowKind.KERNEL
                    && instruction.name != Attribute.ABSENT
                    && instruction.module != Attribute.ABSENT) {
                ofInstruction
                        .computeIfAbsent(instruction, this::sum)
                        .ifPresent(
                                sum -> sum.add(timeline.durationNs(row), timeline.attributeText(row, Attribute.WHERE)));
            }
        }
    }

    private Optional<Sum> sum(Instruction instruction) {
        Matcher matcher = NAME.matcher(timeline.text(instruction.name));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String what = instruction.meaning == Attribute.ABSENT ? "" : timeline.text(instruction.meaning);
        boolean nameless = matcher.group(1).equals(CALL) && what.startsWith(CALL + ' ');
        String operation = nameless ? what.substring(CALL.length() + 1) : matcher.group(1);
        String category = category(what.isEmpty() || operation.startsWith(SINGLE) ? operation : what);
        String module = timeline.text(instruction.module);
        return Optional.of(sums.computeIfAbsent(
                String.join(" ", operation, category, module), key -> new Sum(operation, category, module)));
    }

    private static String category(String text) {
        return Objects.requireNonNullElse(Knowledge.found(CATEGORIES, text), "other");
    }
}

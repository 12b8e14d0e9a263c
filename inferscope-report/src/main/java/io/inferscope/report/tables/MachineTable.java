package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Locale;

/** The table of counters of the machine, of processes and of models. */
final class MachineTable {
    private MachineTable() {}

    static Table of(List<CounterFigures> counters) {
        return new Table(
                "Machine and memory",
                "Counters read during the recording: memory, swap, limits of the control group and what they cost, and the driver's counters of devices.",
                columns(texts("Counter"), names("Process"), numbers("First", "Last", "Least", "Most")),
                counters.stream()
                        .map(c -> List.of(
                                counterWords(c.name()),
                                c.process(),
                                value(c.plainName(), c.first()),
                                value(c.plainName(), c.last()),
                                value(c.plainName(), c.least()),
                                value(c.plainName(), c.most())))
                        .toList());
    }

    /** Returns the description of a counter, its name if it is unknown. Units are in the values. */
    private static String counterWords(String name) {
        return switch (name) {
            case "host.rss_bytes" -> "memory in use (RSS)";
            case "host.swap_bytes" -> "memory swapped out";
            case "host.cgroup_memory_bytes" -> "memory in use by the control group";
            case "host.cgroup_throttled_ns" -> "held up by the CPU limit, since the start";
            case "host.cgroup_throttled_periods" -> "periods in which the CPU limit was used up";
            case "host.cgroup_oom_kills" -> "processes killed for lack of memory";
            case "host.cpu_busy_ns" -> "CPU time of all programs, since the start";
            case "host.cpu_stolen_ns" -> "CPU time that the hypervisor took, since the start";
            case "host.cpu_pressure_ns" -> "time in which some task waited for a CPU";
            case "host.memory_pressure_ns" -> "time in which some task waited for memory";
            case "host.unseen_children_cpu_ns" -> "CPU time of children too short-lived to be seen";
            case "model.batch_tokens" -> "tokens in a batch with an attention mask";
            case "model.double_passes" -> "forward pass with float64 weights";
            case "model.half_passes" -> "forward pass with float16 weights";
            case "model.batch_padding" -> "tokens of padding in such a batch";
            case "model.batch_filled" -> "batches with a text without padding";
            case "model.graph_passes" -> "forward passes that record a graph for gradients";
            case "model.dropout_passes" -> "active dropout layers of a forward pass";
            case "model.batch_norm_passes" -> "batch norms of a forward pass that use the batch's statistics";
            case "model.backward_passes" -> "backward passes";
            case "perf.page_faults" -> "page faults";
            case "perf.major_faults" -> "page faults that read from a device";
            case "perf.cycles" -> "CPU cycles";
            case "perf.instructions" -> "instructions";
            case "perf.cache_misses" -> "misses of the last cache level";
            default -> name;
        };
    }

    private static String value(String name, double value) {
        if (!Double.isFinite(value)) {
            return "";
        }
        if (name.endsWith("_bytes")) {
            return Units.bytes(value);
        }
        return name.endsWith("_ns")
                ? Units.duration(Math.round(value))
                : value == Math.rint(value)
                        ? Units.count(Math.round(value))
                        : String.format(Locale.ROOT, "%.3g", value);
    }
}

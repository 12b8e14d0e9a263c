package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.name;
import static io.inferscope.report.tables.Table.number;
import static io.inferscope.report.tables.Table.words;

import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.HostTables.HolderFigures;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Locale;

/** Tables about the judged host thread's time, requests and the machine. */
final class HostTimeTables {
    private HostTimeTables() {}

    static List<Table> of(Report report) {
        return List.of(
                time(report.host().time()),
                waitedFor(report.host().waitedFor()),
                requests(report.host().requests()),
                machine(report.host().machine()));
    }

    private static Table time(List<PlaceFigures> places) {
        return new Table(
                "Host time by cause and place",
                "Where in the code the judged host thread's time went. Where it waited for another thread, that one's work and line stand here.",
                List.of(
                        words("Cause"),
                        name("Thread"),
                        words("State"),
                        name("Activity"),
                        name("Where"),
                        number("Time"),
                        words("Basis")),
                places.stream()
                        .map(p -> List.of(
                                p.cause().label(),
                                p.thread(),
                                p.state(),
                                p.activity(),
                                p.where(),
                                Units.duration(p.ns()),
                                ReportTables.basis(p.estimated(), p.boundNs())))
                        .toList());
    }

    private static Table waitedFor(List<HolderFigures> holders) {
        return new Table(
                "Who worked while it waited",
                "For the GIL, for a lock or for a CPU: the thread that held it, or was at work meanwhile, and the line that it ran.",
                List.of(words("Waited for"), name("Thread"), name("Where"), number("Time"), words("Known by")),
                holders.stream()
                        .map(h -> List.of(h.cause().label(), h.thread(), h.where(), Units.duration(h.ns()), h.known()))
                        .toList());
    }

    private static Table requests(List<RequestFigures> requests) {
        return new Table(
                "Requests",
                "From arrival to the end of the answer; first is the time to the first byte or token.",
                List.of(
                        name("Request"),
                        name("Process"),
                        number("Count"),
                        number("Median"),
                        number("p95"),
                        number("Longest"),
                        number("First, median"),
                        number("First, p95"),
                        number("Tokens or chunks")),
                requests.stream()
                        .map(r -> List.of(
                                r.name(),
                                r.process(),
                                Units.count(r.count()),
                                Units.duration(r.medianNs()),
                                Units.duration(r.p95Ns()),
                                Units.duration(r.maxNs()),
                                duration(r.medianFirstNs()),
                                duration(r.p95FirstNs()),
                                r.items() == 0 ? "" : Units.count(r.items())))
                        .toList());
    }

    private static String duration(long ns) {
        return ns < 0 ? "" : Units.duration(ns);
    }

    private static Table machine(List<CounterFigures> counters) {
        return new Table(
                "Machine and memory",
                "Counters that were read meanwhile: memory, swap, limits of the control group and what they cost; of devices what the driver says.",
                List.of(
                        words("Counter"),
                        name("Process"),
                        number("First"),
                        number("Last"),
                        number("Least"),
                        number("Most")),
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

    /** Returns what a counter counts, in words; the name of one that is not known. The units are in the values. */
    private static String counterWords(String name) {
        return switch (name) {
            case "host.rss_bytes" -> "memory in use (RSS)";
            case "host.swap_bytes" -> "memory swapped out";
            case "host.cgroup_memory_bytes" -> "memory in use by the control group";
            case "host.cgroup_throttled_ns" -> "held up by the CPU limit, since the start";
            case "host.cgroup_throttled_periods" -> "periods in which the CPU limit was used up";
            case "host.cgroup_oom_kills" -> "processes killed for want of memory";
            case "host.cpu_pressure_ns" -> "time in which some task waited for a CPU";
            case "host.memory_pressure_ns" -> "time in which some task waited for memory";
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

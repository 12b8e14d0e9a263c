package io.inferscope.report.tables;

import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.RequestTables;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.LoggedShape;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableNotes.PathSize;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.model.WorkTables;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.report.common.Part;
import io.inferscope.report.common.ShapeText;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables of a report, the most important first. Empty ones are left out. */
public final class ReportTables {
    /** What counters count, by their names. */
    private static final Map<String, String> DESCRIPTIONS =
            KnowledgeTable.read(ReportTables.class, "counters.tsv", cells -> Map.entry(cells[0], cells[1])).stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));

    private ReportTables() {}

    /** The tables that people see in another form, with others made of the same rows. */
    private static final Map<TableId<?>, Function<Report, List<Table>>> OWN = Map.ofEntries(
            Map.entry(StepTables.PHASES, report -> List.of(RowTable.of(report, StepTables.PHASES, evidence(report)))),
            Map.entry(StepTables.STEPS, ReportTables::steps),
            Map.entry(RequestTables.REQUEST_TIME, DetailedWorkTables::requests),
            Map.entry(Report.DEVICES, IdleTables::of),
            Map.entry(PathTables.CLASSES, report -> List.of(RowTable.of(report, PathTables.CLASSES, path(report)))),
            Map.entry(HostTables.MACHINE, report -> List.of(machine(report.rows(HostTables.MACHINE)))),
            Map.entry(
                    Report.SAMPLED_LINES,
                    report -> List.of(RowTable.of(report, Report.SAMPLED_LINES).renamed("Place", "Line"))),
            Map.entry(
                    Report.SAMPLED_FUNCTIONS,
                    report -> List.of(
                            RowTable.of(report, Report.SAMPLED_FUNCTIONS).renamed("Place", "Function"))),
            Map.entry(Report.SCOPES, DetailedWorkTables::annotations),
            Map.entry(WorkTables.MODULES, DetailedWorkTables::modules),
            Map.entry(ShapeTables.GRAPHS, DetailedWorkTables::graphs),
            Map.entry(ShapeTables.OPERATOR_SHAPES, DetailedWorkTables::operators),
            Map.entry(
                    ShapeTables.LOGGED_SHAPES,
                    report -> List.of(loggedShapes(report.rows(ShapeTables.LOGGED_SHAPES)))));

    /** Returns every table except that of the first ledger, which is part of the headline. */
    public static List<Table> afterHeadline(Report report) {
        List<Table> list = new ArrayList<>(
                report.ledgers().stream().skip(1).map(ReportTables::ledger).toList());
        for (TableId<?> id : Tables.all()) {
            Function<Report, List<Table>> own = OWN.get(id);
            list.addAll(own == null ? List.of(RowTable.of(report, id)) : own.apply(report));
        }
        list.addAll(RecordingTables.of(report));
        list.removeIf(table -> table.rows().isEmpty());
        return list;
    }

    private static String evidence(Report report) {
        return report.notesOnTables().steadyState();
    }

    private static String path(Report report) {
        PathSize path = report.notesOnTables().path();
        return path == null
                ? ""
                : "The longest chain of dependencies through the window: " + Units.duration(path.pathNs())
                        + ". Work on it delays the end when it takes longer; other work does so only once its slack is used up. Computed from "
                        + Units.count(path.dependencies()) + " dependencies of " + Units.count(path.instants())
                        + " instants; replaying them unchanged misses the recorded time by "
                        + Units.duration(path.replayErrorNs()) + ".";
    }

    public static Table ledger(Ledger ledger) {
        Iterator<Ledger.Entry> entries = ledger.entries().iterator();
        return Table.of(
                "Ledger of the " + ledger.what(),
                "Every nanosecond of " + Units.duration(ledger.durationNs()) + ", in one class each.",
                Part.ofLedger(ledger),
                (row, part) -> row.words("Class", part.label())
                        .name("Id", part.id())
                        .time("Time", part.ns())
                        .number("Share", part.percent())
                        .words("Basis", basis(entries.next())));
    }

    public static String basis(Ledger.Entry entry) {
        return basis(entry.estimated(), entry.boundNs());
    }

    /** Returns {@code measured}, or {@code estimated ± 1.2 ms}. */
    public static String basis(boolean estimated, long boundNs) {
        return estimated ? "estimated ± " + Units.duration(boundNs) : "measured";
    }

    private static List<Table> steps(Report report) {
        boolean steady = !report.rows(StepTables.PHASES).isEmpty();
        String intro =
                steady ? "Those of the steady state." : report.notesOnTables().steadyState();
        return List.of(RowTable.of(report, StepTables.STEPS, intro), causes(report));
    }

    private static Table causes(Report report) {
        List<Map.Entry<StepFigures, StepCause>> causes = report.rows(StepTables.STEPS).stream()
                .flatMap(step -> step.causes().stream().map(cause -> Map.entry(step, cause)))
                .toList();
        return Table.of(
                report.hasDeviceWork() ? "What each step's GPU waits for" : "Where each step's time goes",
                "The place is the one with most of the cause's time; its share is of that cause.",
                causes,
                (row, of) -> {
                    StepCause cause = of.getValue();
                    row.name("Step", of.getKey().name())
                            .words("Kind", of.getKey().kind())
                            .words("Cause", cause.cause().label())
                            .time("Per step, median", cause.medianNs())
                            .time("All steps", cause.totalNs())
                            .name("Place", placeOf(cause))
                            .number("Share", Units.percent((double) cause.placeNs() / cause.totalNs()))
                            .name("Thread", cause.thread());
                });
    }

    private static String placeOf(StepCause cause) {
        boolean one = cause.where().isEmpty() || cause.activity().isEmpty();
        return one ? cause.where() + cause.activity() : cause.where() + " > " + cause.activity();
    }

    /** Returns the shapes from a log of the whole run, with the recorded times of some of their calls. */
    private static Table loggedShapes(List<LoggedShape> shapes) {
        return Table.of(
                "Unique shapes of the run",
                "Every call of the shape log, most work first. Host and device time are means of the calls with these inputs that are in the"
                        + " recording's windows of operators; a log itself has no times.",
                shapes,
                (row, shape) -> row.name("Operator", shape.name())
                        .count("Calls", shape.calls())
                        .number("FLOPs of one", flops(shape.flops(), 1))
                        .number("FLOPs of all", flops(shape.flops(), shape.calls()))
                        .number("Least traffic", shape.bytes() == null ? Units.ABSENT : Units.bytes(shape.bytes()))
                        .count("Timed calls", shape.timedCalls())
                        .number("Host time", mean(shape.hostNs(), shape.timedCalls()))
                        .number("Device time", mean(shape.deviceNs(), shape.timedCalls()))
                        .words(
                                "Inputs and outputs",
                                ShapeText.tensors(shape.inputs()) + " → " + ShapeText.tensors(shape.outputs())));
    }

    private static String flops(@Nullable Double ofOne, long calls) {
        return ofOne == null ? Units.ABSENT : Units.flops(ofOne * calls);
    }

    private static String mean(long ns, long calls) {
        return ns == 0 || calls == 0 ? Units.ABSENT : Units.duration(ns / calls);
    }

    /** Returns the counters of the machine, of processes and of models. */
    private static Table machine(List<CounterFigures> counters) {
        return Table.of(
                "Machine and memory",
                "Counters read during the recording: memory, swap, limits of the control group and what they cost, and the driver's counters of devices.",
                counters,
                (row, c) -> row.words("Counter", DESCRIPTIONS.getOrDefault(c.name(), c.name()))
                        .name("Process", c.process())
                        .number("First", value(c.plainName(), c.first()))
                        .number("Last", value(c.plainName(), c.last()))
                        .number("Least", value(c.plainName(), c.least()))
                        .number("Most", value(c.plainName(), c.most())));
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

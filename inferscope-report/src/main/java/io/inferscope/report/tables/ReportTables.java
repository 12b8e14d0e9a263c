package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.ShapeTables.LoggedShape;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableNotes.PathSize;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.common.Part;
import io.inferscope.report.common.ShapeText;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.ArrayList;
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
            Map.entry(TableId.PHASES, report -> List.of(RowTable.of(report, TableId.PHASES, evidence(report)))),
            Map.entry(TableId.STEPS, ReportTables::steps),
            Map.entry(TableId.REQUEST_TIME, RequestTimeTables::of),
            Map.entry(TableId.DEVICES, IdleTables::of),
            Map.entry(TableId.PATH_CLASSES, report -> List.of(RowTable.of(report, TableId.PATH_CLASSES, path(report)))),
            Map.entry(TableId.MACHINE, report -> List.of(machine(report.rows(TableId.MACHINE)))),
            Map.entry(
                    TableId.SAMPLED_LINES,
                    report -> List.of(RowTable.of(report, TableId.SAMPLED_LINES).renamed("Place", "Line"))),
            Map.entry(
                    TableId.SAMPLED_FUNCTIONS,
                    report -> List.of(
                            RowTable.of(report, TableId.SAMPLED_FUNCTIONS).renamed("Place", "Function"))),
            Map.entry(TableId.SCOPES, DetailedWorkTables::annotations),
            Map.entry(TableId.MODULES, DetailedWorkTables::modules),
            Map.entry(TableId.GRAPHS, DetailedWorkTables::graphs),
            Map.entry(TableId.OPERATOR_SHAPES, DetailedWorkTables::operators),
            Map.entry(TableId.LOGGED_SHAPES, report -> List.of(loggedShapes(report.rows(TableId.LOGGED_SHAPES)))));

    /** Returns every table except that of the first ledger, which is part of the headline. */
    public static List<Table> afterHeadline(Report report) {
        List<Table> list = new ArrayList<>(
                report.ledgers().stream().skip(1).map(ReportTables::ledger).toList());
        for (TableId<?> id : TableId.all()) {
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
        List<Part> parts = Part.ofLedger(ledger);
        List<Ledger.Entry> entries = ledger.entries();
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            rows.add(
                    List.of(part.label(), part.id(), Units.duration(part.ns()), part.percent(), basis(entries.get(i))));
        }
        return new Table(
                "Ledger of the " + ledger.what(),
                "Every nanosecond of " + Units.duration(ledger.durationNs()) + ", in one class each.",
                columns(texts("Class"), names("Id"), numbers("Time", "Share"), texts("Basis")),
                rows);
    }

    public static String basis(Ledger.Entry entry) {
        return basis(entry.estimated(), entry.boundNs());
    }

    /** Returns {@code measured}, or {@code estimated ± 1.2 ms}. */
    public static String basis(boolean estimated, long boundNs) {
        return estimated ? "estimated ± " + Units.duration(boundNs) : "measured";
    }

    private static List<Table> steps(Report report) {
        boolean steady = !report.rows(TableId.PHASES).isEmpty();
        String intro =
                steady ? "Those of the steady state." : report.notesOnTables().steadyState();
        return List.of(RowTable.of(report, TableId.STEPS, intro), causes(report));
    }

    private static Table causes(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (StepFigures step : report.rows(TableId.STEPS)) {
            for (StepCause cause : step.causes()) {
                rows.add(List.of(
                        step.name(),
                        step.kind(),
                        cause.cause().label(),
                        Units.duration(cause.medianNs()),
                        Units.duration(cause.totalNs()),
                        placeOf(cause),
                        Units.percent((double) cause.placeNs() / cause.totalNs()),
                        cause.thread()));
            }
        }
        return new Table(
                report.hasDeviceWork() ? "What each step's GPU waits for" : "Where each step's time goes",
                "The place is the one with most of the cause's time; its share is of that cause.",
                columns(
                        names("Step"),
                        texts("Kind", "Cause"),
                        numbers("Per step, median", "All steps"),
                        names("Place"),
                        numbers("Share"),
                        names("Thread")),
                rows);
    }

    private static String placeOf(StepCause cause) {
        boolean one = cause.where().isEmpty() || cause.activity().isEmpty();
        return one ? cause.where() + cause.activity() : cause.where() + " > " + cause.activity();
    }

    /** Returns the shapes from a log of the whole run, with the recorded times of some of their calls. */
    private static Table loggedShapes(List<LoggedShape> shapes) {
        return new Table(
                "Unique shapes of the run",
                "Every call of the shape log, most work first. Host and device time are means of the calls with these inputs that are in the"
                        + " recording's windows of operators; a log itself has no times.",
                columns(
                        names("Operator"),
                        numbers(
                                "Calls",
                                "FLOPs of one",
                                "FLOPs of all",
                                "Least traffic",
                                "Timed calls",
                                "Host time",
                                "Device time"),
                        texts("Inputs and outputs")),
                shapes.stream().map(ReportTables::loggedShape).toList());
    }

    private static List<String> loggedShape(LoggedShape shape) {
        return List.of(
                shape.name(),
                Units.count(shape.calls()),
                flops(shape.flops(), 1),
                flops(shape.flops(), shape.calls()),
                shape.bytes() == null ? Units.ABSENT : Units.bytes(shape.bytes()),
                Units.count(shape.timedCalls()),
                mean(shape.hostNs(), shape.timedCalls()),
                mean(shape.deviceNs(), shape.timedCalls()),
                ShapeText.tensors(shape.inputs()) + " → " + ShapeText.tensors(shape.outputs()));
    }

    private static String flops(@Nullable Double ofOne, long calls) {
        return ofOne == null ? Units.ABSENT : Units.flops(ofOne * calls);
    }

    private static String mean(long ns, long calls) {
        return ns == 0 || calls == 0 ? Units.ABSENT : Units.duration(ns / calls);
    }

    /** Returns the counters of the machine, of processes and of models. */
    private static Table machine(List<CounterFigures> counters) {
        return new Table(
                "Machine and memory",
                "Counters read during the recording: memory, swap, limits of the control group and what they cost, and the driver's counters of devices.",
                columns(texts("Counter"), names("Process"), numbers("First", "Last", "Least", "Most")),
                counters.stream()
                        .map(c -> List.of(
                                DESCRIPTIONS.getOrDefault(c.name(), c.name()),
                                c.process(),
                                value(c.plainName(), c.first()),
                                value(c.plainName(), c.last()),
                                value(c.plainName(), c.least()),
                                value(c.plainName(), c.most())))
                        .toList());
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

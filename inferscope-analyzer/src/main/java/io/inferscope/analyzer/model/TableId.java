package io.inferscope.analyzer.model;

import io.inferscope.timeline.files.KnowledgeTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A table of the report. A new table is a row type and two lines: a constant here, and how its rows are made in
 * {@code io.inferscope.analyzer.tables.Tables}. Where its name is no title, or it needs an introduction, people are told
 * a row of {@code tables.tsv}. The JSON report, its reader, and the tables for people follow.
 *
 * @param <R> its rows
 */
public final class TableId<R extends Record & Row> {
    private static final List<TableId<?>> KNOWN = new ArrayList<>();

    /** Tables of the object {@code criticalPath} of the JSON report. */
    private static final String OF_PATH = "criticalPath.";

    public static final TableId<StepTables.PhaseFigures> PHASES = id("phases", StepTables.PhaseFigures.class);
    public static final TableId<StepTables.StepFigures> STEPS = id("steps", StepTables.StepFigures.class);
    public static final TableId<StepTables.GapFigures> LARGEST_GAPS = id("largestGaps", StepTables.GapFigures.class);
    public static final TableId<StepTables.OperatorIdle> IDLE_OPERATORS =
            id("idleOperators", StepTables.OperatorIdle.class);
    public static final TableId<RequestTables.RequestTime> REQUEST_TIME =
            id("requestTime", RequestTables.RequestTime.class);
    public static final TableId<Report.DeviceFigures> DEVICES = id("devices", Report.DeviceFigures.class);
    public static final TableId<Report.BlameFigures> IDLE_BLAME = id("idleBlame", Report.BlameFigures.class);
    public static final TableId<PathTables.ClassTime> PATH_CLASSES =
            id(OF_PATH + "classes", PathTables.ClassTime.class);
    public static final TableId<PathTables.WorkTime> PATH_WORK = id(OF_PATH + "work", PathTables.WorkTime.class);
    public static final TableId<PathTables.LineTime> PATH_LINES = id(OF_PATH + "lines", PathTables.LineTime.class);
    public static final TableId<PathTables.PathPiece> PATH_PIECES = id(OF_PATH + "longest", PathTables.PathPiece.class);
    public static final TableId<PathTables.TrackTime> PATH_TRACKS = id(OF_PATH + "tracks", PathTables.TrackTime.class);
    public static final TableId<HostTables.PlaceFigures> HOST_TIME = id("hostTime", HostTables.PlaceFigures.class);
    public static final TableId<HostTables.HolderFigures> WAITED_FOR = id("waitedFor", HostTables.HolderFigures.class);
    public static final TableId<HostTables.RequestFigures> REQUESTS = id("requests", HostTables.RequestFigures.class);
    public static final TableId<HostTables.CounterFigures> MACHINE = id("machine", HostTables.CounterFigures.class);
    public static final TableId<Report.SampleFigures> SAMPLED_LINES = id("sampledLines", Report.SampleFigures.class);
    public static final TableId<Report.SampleFigures> SAMPLED_FUNCTIONS =
            id("sampledFunctions", Report.SampleFigures.class);
    public static final TableId<HostTables.NativeModuleFigures> NATIVE_MODULES =
            id("nativeModules", HostTables.NativeModuleFigures.class);
    public static final TableId<Report.KernelFigures> KERNELS = id("kernels", Report.KernelFigures.class);
    public static final TableId<Report.CopyFigures> COPIES = id("copies", Report.CopyFigures.class);
    public static final TableId<Report.OperatorFigures> OPERATORS = id("operators", Report.OperatorFigures.class);
    public static final TableId<Report.ScopeFigures> SCOPES = id("scopes", Report.ScopeFigures.class);
    public static final TableId<Report.ThreadFigures> THREADS = id("threads", Report.ThreadFigures.class);
    public static final TableId<Report.LaunchFigures> LAUNCHES = id("launches", Report.LaunchFigures.class);
    public static final TableId<WorkTables.CategoryFigures> KERNEL_CATEGORIES =
            id("kernelCategories", WorkTables.CategoryFigures.class);
    public static final TableId<WorkTables.HloFigures> HLO_OPERATIONS =
            id("hloOperations", WorkTables.HloFigures.class);
    public static final TableId<WorkTables.ModuleFigures> MODULES = id("modules", WorkTables.ModuleFigures.class);
    public static final TableId<WorkTables.CollectiveFigures> COLLECTIVES =
            id("collectives", WorkTables.CollectiveFigures.class);
    public static final TableId<WorkTables.SequenceFigures> KERNEL_SEQUENCES =
            id("kernelSequences", WorkTables.SequenceFigures.class);
    public static final TableId<WorkTables.QueueFigures> LAUNCH_QUEUES =
            id("launchQueues", WorkTables.QueueFigures.class);
    public static final TableId<ShapeTables.GraphFigures> GRAPHS = id("graphs", ShapeTables.GraphFigures.class);
    public static final TableId<ShapeTables.OperatorShape> OPERATOR_SHAPES =
            id("operatorShapes", ShapeTables.OperatorShape.class);

    /** Of a shape log of the whole run, most work first, cut to the first; no analysis makes it. */
    public static final TableId<ShapeTables.LoggedShape> LOGGED_SHAPES =
            id("loggedShapes", ShapeTables.LoggedShape.class);

    public static final TableId<WorkTables.UtilisationFigures> MODEL_UTILISATION =
            id("modelUtilisation", WorkTables.UtilisationFigures.class);
    public static final TableId<ShapeTables.PeakFigures> DEVICE_PEAKS =
            id("devicePeaks", ShapeTables.PeakFigures.class);
    public static final TableId<ShapeTables.MemoryFigures> ALLOCATORS =
            id("allocators", ShapeTables.MemoryFigures.class);

    private final String name;
    private final Class<R> row;

    private TableId(String name, Class<R> row) {
        this.name = name;
        this.row = row;
    }

    private static <R extends Record & Row> TableId<R> id(String name, Class<R> row) {
        TableId<R> id = new TableId<>(name, row);
        KNOWN.add(id);
        return id;
    }

    /** Returns all tables, in the order of reports: the most important first. */
    public static List<TableId<?>> all() {
        return Collections.unmodifiableList(KNOWN);
    }

    /** Returns its name in the JSON report; names of tables of the critical path begin with {@code criticalPath.}. */
    public String name() {
        return name;
    }

    /** Returns whether it is one of the tables of the critical path. */
    public boolean isOfPath() {
        return name.startsWith(OF_PATH);
    }

    /** Returns its name in the object of the JSON report that holds it. */
    public String member() {
        return isOfPath() ? name.substring(OF_PATH.length()) : name;
    }

    public Class<R> row() {
        return row;
    }

    /** Returns its title for people: that of {@code tables.tsv}, else its name in words. */
    public String title() {
        String title = words(1);
        return title.isEmpty()
                ? Units.capitalised(member().replaceAll("(?=[A-Z])", " ").toLowerCase(Locale.ROOT))
                : title;
    }

    /** Returns a sentence or two about it for people; empty if it needs none or depends on the report. */
    public String intro() {
        return words(2);
    }

    private String words(int column) {
        String[] cells = Words.BY_NAME.getOrDefault(name, new String[0]);
        return cells.length > column ? cells[column] : "";
    }

    /** Read when the first table is shown to people. */
    private static final class Words {
        static final Map<String, String[]> BY_NAME =
                KnowledgeTable.read(TableId.class, "tables.tsv", cells -> cells).stream()
                        .collect(Collectors.toMap(cells -> cells[0], cells -> cells));
    }

    @Override
    public String toString() {
        return name;
    }
}

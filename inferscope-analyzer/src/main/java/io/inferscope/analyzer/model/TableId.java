package io.inferscope.analyzer.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A table of the report. A new table is a row type and two lines: a constant here, and how its rows are made in
 * {@code io.inferscope.analyzer.tables.Tables}. The JSON report, its reader, and the tables for people follow.
 *
 * @param <R> its rows
 */
public final class TableId<R extends Record & Row> {
    private static final List<TableId<?>> KNOWN = new ArrayList<>();

    /** Tables of the object {@code criticalPath} of the JSON report. */
    private static final String OF_PATH = "criticalPath.";

    public static final TableId<StepTables.PhaseFigures> PHASES =
            id("phases", StepTables.PhaseFigures.class, "Phases", "");
    public static final TableId<StepTables.StepFigures> STEPS = id("steps", StepTables.StepFigures.class, "Steps", "");
    public static final TableId<StepTables.GapFigures> LARGEST_GAPS = id(
            "largestGaps",
            StepTables.GapFigures.class,
            "Largest idle gaps",
            "One by one, from the start of the window on; the cause is that of most of the gap. Gaps below 1 us are left out: a launch alone takes longer.");
    public static final TableId<StepTables.OperatorIdle> IDLE_OPERATORS = id(
            "idleOperators",
            StepTables.OperatorIdle.class,
            "Idle time by operator",
            "The innermost framework operator around what the GPU waited for.");
    public static final TableId<RequestTables.RequestTime> REQUEST_TIME =
            id("requestTime", RequestTables.RequestTime.class, "", "");
    public static final TableId<Report.DeviceFigures> DEVICES = id(
            "devices",
            Report.DeviceFigures.class,
            "Devices",
            "Busy is the union of kernels, copies and memory sets over all streams. Gaps are counted within the span.");
    public static final TableId<Report.BlameFigures> IDLE_BLAME = id(
            "idleBlame",
            Report.BlameFigures.class,
            "Idle time by cause and place",
            "What the host thread that the device waited for was doing.");
    public static final TableId<PathTables.ClassTime> PATH_CLASSES =
            id(OF_PATH + "classes", PathTables.ClassTime.class, "Critical path by class", "");
    public static final TableId<PathTables.WorkTime> PATH_WORK =
            id(OF_PATH + "work", PathTables.WorkTime.class, "Critical path by work", "");
    public static final TableId<PathTables.LineTime> PATH_LINES = id(
            OF_PATH + "lines",
            PathTables.LineTime.class,
            "Critical path by line",
            "Device work counts for the line that launched it.");
    public static final TableId<PathTables.PathPiece> PATH_PIECES =
            id(OF_PATH + "longest", PathTables.PathPiece.class, "Longest pieces of the critical path", "");
    public static final TableId<PathTables.TrackTime> PATH_TRACKS = id(
            OF_PATH + "tracks",
            PathTables.TrackTime.class,
            "Threads and streams on the critical path",
            "Slack is how much longer the tightest piece off the path could take without delaying the end.");
    public static final TableId<HostTables.PlaceFigures> HOST_TIME = id(
            "hostTime",
            HostTables.PlaceFigures.class,
            "Host time by cause and place",
            "Where in the code the judged host thread's time went. Where it waited for another thread, the work and line of that thread are shown.");
    public static final TableId<HostTables.HolderFigures> WAITED_FOR = id(
            "waitedFor",
            HostTables.HolderFigures.class,
            "What ran while it waited",
            "For the GIL, a lock, a CPU, or an unknown waker: the thread that held it, or was at work meanwhile, and the line that it ran.");
    public static final TableId<HostTables.RequestFigures> REQUESTS = id(
            "requests",
            HostTables.RequestFigures.class,
            "Requests",
            "From arrival to the end of the answer; first is the time to the first byte or token.");
    public static final TableId<HostTables.CounterFigures> MACHINE =
            id("machine", HostTables.CounterFigures.class, "", "");
    public static final TableId<Report.SampleFigures> SAMPLED_LINES = id(
            "sampledLines",
            Report.SampleFigures.class,
            "Hottest lines",
            "Stack samples of all threads by the innermost line of the program's own code. Self is time in the line and in"
                    + " library code that it calls; total is every sample with the line on its stack. Stacks of library code alone are in the next table only.");
    public static final TableId<Report.SampleFigures> SAMPLED_FUNCTIONS = id(
            "sampledFunctions",
            Report.SampleFigures.class,
            "Hottest functions",
            "The same samples by the function that ran. Self is time in the function, total includes what it calls.");
    public static final TableId<HostTables.NativeModuleFigures> NATIVE_MODULES = id(
            "nativeModules",
            HostTables.NativeModuleFigures.class,
            "Hottest libraries",
            "The samples taken in native code, without waits, by process and library or executable. A build id names the very file for a debugger or a symbol server.");
    public static final TableId<Report.KernelFigures> KERNELS = id(
            "kernels",
            Report.KernelFigures.class,
            "Kernels",
            "Launch latency and queue delay are medians. A long queue delay means a busy device, not a slow launch.");
    public static final TableId<Report.CopyFigures> COPIES =
            id("copies", Report.CopyFigures.class, "Copies and memory sets", "");
    public static final TableId<Report.OperatorFigures> OPERATORS = id(
            "operators",
            Report.OperatorFigures.class,
            "Operators",
            "Host time, recursive calls counted once. Device time is that of operations launched directly under the operator.");
    public static final TableId<Report.ScopeFigures> SCOPES = id(
            "scopes",
            Report.ScopeFigures.class,
            "Annotations",
            "Host work that overlaps device work shows up here, but in no ledger of the device.");
    public static final TableId<Report.ThreadFigures> THREADS =
            id("threads", Report.ThreadFigures.class, "Threads", "");
    public static final TableId<Report.LaunchFigures> LAUNCHES = id(
            "launches",
            Report.LaunchFigures.class,
            "Launches",
            "Latency from the launch call's start to the operation's start; queue delay from the call's end.");
    public static final TableId<WorkTables.CategoryFigures> KERNEL_CATEGORIES = id(
            "kernelCategories",
            WorkTables.CategoryFigures.class,
            "What the GPUs compute",
            "Kernels of all devices, by what they compute and by library, judged by their names.");
    public static final TableId<WorkTables.HloFigures> HLO_OPERATIONS = id(
            "hloOperations",
            WorkTables.HloFigures.class,
            "Operations of XLA",
            "Kernels by the HLO instruction that they compute, of all devices; the 30 with most time.");
    public static final TableId<WorkTables.ModuleFigures> MODULES =
            id("modules", WorkTables.ModuleFigures.class, "Modules of the model", "");
    public static final TableId<WorkTables.CollectiveFigures> COLLECTIVES = id(
            "collectives",
            WorkTables.CollectiveFigures.class,
            "Collectives",
            "Waiting is the time until the last rank arrived; bandwidth is of the time after that where all ranks are recorded.");
    public static final TableId<WorkTables.SequenceFigures> KERNEL_SEQUENCES = id(
            "kernelSequences",
            WorkTables.SequenceFigures.class,
            "Kernels that follow each other",
            "Of the first " + Units.count(WorkTables.SequenceFigures.LOOKED_AT)
                    + " operations of the judged part: runs of two to five on one stream that recur, and that a fused kernel or a graph"
                    + " could replace.");
    public static final TableId<WorkTables.QueueFigures> LAUNCH_QUEUES = id(
            "launchQueues",
            WorkTables.QueueFigures.class,
            "Launch queues",
            "Operations launched and not started yet. An empty queue means that the GPU waits for the host.");
    public static final TableId<ShapeTables.GraphFigures> GRAPHS = id(
            "graphs",
            ShapeTables.GraphFigures.class,
            "CUDA graphs",
            "Launches that replay the same operations are one graph. Times are medians over its replays; idle inside is time between the"
                    + " kernels of one replay, idle after is from its end to the device's next work.");
    public static final TableId<ShapeTables.OperatorShape> OPERATOR_SHAPES =
            id("operatorShapes", ShapeTables.OperatorShape.class, "Operators by shape", "");

    /** Of a shape log of the whole run, most work first, cut to the first; no analysis makes it. */
    public static final TableId<ShapeTables.LoggedShape> LOGGED_SHAPES =
            id("loggedShapes", ShapeTables.LoggedShape.class, "", "");

    public static final TableId<WorkTables.UtilisationFigures> MODEL_UTILISATION = id(
            "modelUtilisation",
            WorkTables.UtilisationFigures.class,
            "Work against the peak",
            "MFU compares the FLOPs of products, convolutions and attention with what the device can compute, MBU the bytes of all"
                    + " operators with what its memory can carry: while it worked, and in the whole part. Both are lower"
                    + " bounds, because operators without recorded inputs do not count; two columns show how much of the"
                    + " GPU time is counted.");
    public static final TableId<ShapeTables.PeakFigures> DEVICE_PEAKS = id(
            "devicePeaks",
            ShapeTables.PeakFigures.class,
            "Peaks of the devices",
            "Dense figures of the vendor, which no program reaches: operators are compared with them.");
    public static final TableId<ShapeTables.MemoryFigures> ALLOCATORS = id(
            "allocators",
            ShapeTables.MemoryFigures.class,
            "Memory of the framework's allocator",
            "Memory used by tensors, and memory that the allocator held for it, during the recording.");

    private final String name;
    private final Class<R> row;
    private final String title;
    private final String intro;

    private TableId(String name, Class<R> row, String title, String intro) {
        this.name = name;
        this.row = row;
        this.title = title;
        this.intro = intro;
    }

    private static <R extends Record & Row> TableId<R> id(String name, Class<R> row, String title, String intro) {
        TableId<R> id = new TableId<>(name, row, title, intro);
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

    /** Returns its title for people, empty if they are shown other tables made of its rows. */
    public String title() {
        return title;
    }

    /** Returns a sentence or two about it for people; empty if it needs none or depends on the report. */
    public String intro() {
        return intro;
    }

    @Override
    public String toString() {
        return name;
    }
}

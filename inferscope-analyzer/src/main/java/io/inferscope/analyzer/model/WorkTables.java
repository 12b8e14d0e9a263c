package io.inferscope.analyzer.model;

import static io.inferscope.analyzer.model.ColumnKind.BYTES_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.BYTES_PER_SECOND;
import static io.inferscope.analyzer.model.ColumnKind.COUNT;
import static io.inferscope.analyzer.model.ColumnKind.FLOPS;
import static io.inferscope.analyzer.model.ColumnKind.NAME;
import static io.inferscope.analyzer.model.ColumnKind.NAME_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NS;
import static io.inferscope.analyzer.model.ColumnKind.NS_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.RATIO;
import static io.inferscope.analyzer.model.ColumnKind.TRAFFIC;
import static io.inferscope.analyzer.model.ColumnKind.WORDS;
import static io.inferscope.analyzer.model.ColumnKind.WORDS_OR_NONE;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rows about what the devices computed, and for which operators and modules. */
public final class WorkTables {
    private WorkTables() {}

    public static final TableId<CategoryFigures> KERNEL_CATEGORIES =
            new TableId<>("kernelCategories", CategoryFigures.class);

    /** The kernels of one category and library on all devices; copies and sets are a category of their own. */
    public record CategoryFigures(String category, String library, long count, long totalNs, double share)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("category", WORDS, "Category", category).doc("what the kernels compute, by their names");
            to.add("library", WORDS_OR_NONE, "Library", library)
                    .doc("the library that they belong to; null where their names do not say");
            to.add("count", COUNT, "Count", count).doc("how many ran");
            to.add("totalNs", NS, "Total", totalNs)
                    .doc("their times, added up; those that run at the same time count each");
            to.add("share", RATIO, "Share", share).doc("part of the time of all operations of all devices");
        }
    }

    public static final TableId<ModuleFigures> MODULES = new TableId<>("modules", ModuleFigures.class);

    /** Modules of one class at one place of the model, layers that are alike together. */
    public record ModuleFigures(
            String path, long instances, long calls, long hostNs, long deviceNs, long ownNs, double share)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("path", NAME, "", path).doc("classes from the outermost module on, divided by ` > `");
            to.shown(
                    NAME,
                    "Module",
                    "  ".repeat(path.split(" > ", -1).length - 1)
                            + path.substring(path.lastIndexOf('>') + 1).strip());
            to.add("instances", COUNT, "Instances", instances).doc("modules of that class at that place");
            to.add("calls", COUNT, "Calls", calls).doc("calls of their `forward`");
            to.add("hostNs", NS, "Host", hostNs).doc("length of these calls");
            to.add("deviceNs", NS, "Device", deviceNs).doc("time of the device operations launched in them");
            to.add("ownNs", NS, "Own", ownNs).doc("of that, what no module inside launched");
            to.add("share", RATIO, "Share", share).doc("device time as a part of that of all operations");
        }
    }

    public static final TableId<SequenceFigures> KERNEL_SEQUENCES =
            new TableId<>("kernelSequences", SequenceFigures.class);

    /** Kernels that follow each other on a stream again and again. */
    public record SequenceFigures(String kernels, long length, long count, long totalNs, long gapNs, double share)
            implements Row {
        /** How many operations are examined, as tables.tsv says: enough for what recurs in any loop. */
        public static final int LOOKED_AT = 10_000;

        @Override
        public void columns(Columns to) {
            to.add("kernels", NAME, "", kernels).doc("names of its operations in their order, divided by `; `");
            to.shown(NAME, "Kernels", shortened());
            to.add("length", COUNT, "Length", length).doc("number of these operations");
            to.add("count", COUNT, "Count", count).doc("how often they follow each other, without overlap");
            to.add("totalNs", NS, "Total", totalNs).doc("time of the operations");
            to.add("gapNs", NS, "Between", gapNs).doc("time between them, in which the stream was empty");
            to.add("share", RATIO, "Share", share).doc("part of the time of the operations that were looked at");
        }

        /** Only names of functions: namespaces, template arguments and parameters make a name longer than a line. */
        private String shortened() {
            return Arrays.stream(kernels.split("; "))
                    .map(kernel -> kernel.replaceAll("\\(anonymous namespace\\)::", "")
                            .replaceFirst("^void ", "")
                            .replaceFirst("(?<=\\w)[<(].*", "")
                            .replaceFirst("^.*::", ""))
                    .collect(Collectors.joining(", "));
        }
    }

    public static final TableId<QueueFigures> LAUNCH_QUEUES = new TableId<>("launchQueues", QueueFigures.class);

    /** How many operations had been launched on a stream and had not started yet. */
    public record QueueFigures(
            String device,
            String stream,
            long operations,
            long lengthNs,
            long waitedNs,
            long mostLength,
            double emptyShare,
            long fullNs)
            implements Row {
        /**
         * How many operations the driver's queue of a stream holds, as measured by HTA and here. A launching thread
         * waits when it is full.
         */
        public static final int FULL = 1024;

        @Override
        public void columns(Columns to) {
            to.add("device", WORDS, "Device", device).doc("the device");
            to.add("stream", WORDS, "Stream", stream).doc("the stream");
            to.add("operations", COUNT, "Operations", operations).doc("operations with a recorded launch");
            to.add("lengthNs", NS, "", lengthNs).doc("from the first launch to the last start");
            to.add("waitedNs", NS, "", waitedNs)
                    .doc(
                            "how long the operations waited for their start, added up: over `lengthNs` it is the mean length");
            to.shown(
                    WORDS,
                    "Mean length",
                    String.format(Locale.ROOT, "%.1f", waitedNs / (double) Math.max(1, lengthNs)));
            to.add("mostLength", COUNT, "Longest", mostLength).doc("largest number that waited at once");
            to.add("emptyShare", RATIO, "Empty", emptyShare).doc("part of that time in which none waited");
            to.add("fullNs", NS, "Full", fullNs)
                    .doc("time with " + Units.count(FULL)
                            + " or more, at which the driver makes launching threads wait");
        }
    }

    public static final TableId<CollectiveFigures> COLLECTIVES = new TableId<>("collectives", CollectiveFigures.class);

    /** Collectives of one sort in one group. */
    public record CollectiveFigures(
            String name,
            String group,
            long ranks,
            long calls,
            @Nullable Long bytes,
            long totalNs,
            @Nullable Long waitingNs,
            @Nullable Long maxSkewNs,
            @Nullable Double algorithmBytesPerSecond,
            @Nullable Double busBytesPerSecond)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "Collective", name).doc("the collective");
            to.add("group", NAME_OR_NONE, "Group", group).doc("its process group or communicator");
            to.add("ranks", COUNT, "Ranks", ranks).doc("how many take part; 0 where that is not recorded");
            to.add("calls", COUNT, "Calls", calls).doc("kernels, of all devices");
            to.add("bytes", BYTES_OR_NONE, "Bytes", bytes)
                    .doc("size of one call's message, the median: of all ranks for all-gather and reduce-scatter");
            to.add("totalNs", NS, "Total", totalNs).doc("time of the kernels");
            to.add("waitingNs", NS_OR_NONE, "Waiting", waitingNs)
                    .doc("of that, until the last rank arrived; null where one rank alone is recorded");
            to.add("maxSkewNs", NS_OR_NONE, "Longest skew", maxSkewNs)
                    .doc("from the first to the last arrival, the longest");
            to.add("algorithmBytesPerSecond", BYTES_PER_SECOND, "Algorithm bandwidth", algorithmBytesPerSecond)
                    .doc("bytes of a call over its time from the last arrival on, the median");
            to.add("busBytesPerSecond", BYTES_PER_SECOND, "Bus bandwidth", busBytesPerSecond)
                    .doc("what each link carried: that times the collective's factor; null for unknown sizes");
        }
    }

    public static final TableId<HloFigures> HLO_OPERATIONS = new TableId<>("hloOperations", HloFigures.class);

    /** Instructions of XLA's HLO with one name, apart from their numbers, of one module. */
    public record HloFigures(
            String operation, String category, String module, long count, long totalNs, double share, String where)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("operation", NAME, "Operation", operation)
                    .doc("the HLO instruction without its number, or what a custom call without a name calls");
            to.add("category", WORDS, "Category", category)
                    .doc(
                            "`loop fusion`, `input fusion`, `product`, `convolution`, `attention`, `communication`, `custom call` and others: as the HLO module says, or by that name");
            to.add("module", NAME, "Module", module).doc("the compiled function");
            to.add("count", COUNT, "Kernels", count).doc("kernels that ran for it");
            to.add("totalNs", NS, "Total", totalNs).doc("their times, added up");
            to.add("share", RATIO, "Share", share).doc("part of the time of all operations of all devices");
            to.add("where", NAME_OR_NONE, "Line", where).doc("`file:line` that most of it comes from");
        }
    }

    public static final TableId<UtilisationFigures> MODEL_UTILISATION =
            new TableId<>("modelUtilisation", UtilisationFigures.class);

    /** The work of a device against its peak; null where a figure is withheld. */
    public record UtilisationFigures(
            String device,
            @Nullable Double flops,
            @Nullable Double mfuBusy,
            @Nullable Double mfu,
            @Nullable Double flopsShare,
            @Nullable Double bytes,
            @Nullable Double mbuBusy,
            @Nullable Double mbu,
            @Nullable Double bytesShare,
            String withheld)
            implements Row {
        /** Makes a line without figures. */
        public static UtilisationFigures withheld(String device, String reason) {
            return new UtilisationFigures(device, null, null, null, null, null, null, null, null, reason);
        }

        @Override
        public void columns(Columns to) {
            to.add("device", WORDS, "Device", device).doc("the device");
            to.add("flops", FLOPS, "FLOPs", flops)
                    .doc("operations of the products, convolutions and attention whose inputs are recorded");
            to.add("mfuBusy", RATIO, "MFU while busy", mfuBusy)
                    .doc("their time at the device's peak over the time in which the device worked");
            to.add("mfu", RATIO, "MFU", mfu).doc("the same over the whole part, idle time included");
            to.add("flopsShare", RATIO, "GPU time of FLOPs", flopsShare)
                    .doc("part of the time of the device's operations that these operators cover");
            to.add("bytes", TRAFFIC, "Bytes", bytes).doc("least memory traffic of all operators whose work is known");
            to.add("mbuBusy", RATIO, "MBU while busy", mbuBusy)
                    .doc("its time at the memory's peak over the time in which the device worked");
            to.add("mbu", RATIO, "MBU", mbu).doc("the same over the whole part, idle time included");
            to.add("bytesShare", RATIO, "GPU time of bytes", bytesShare)
                    .doc("part of the time of the device's operations that these operators cover");
            to.add("withheld", WORDS_OR_NONE, "Withheld", withheld).doc("why a figure is missing; null where none is");
        }
    }
}

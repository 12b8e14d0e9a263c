package io.inferscope.analyzer.model;

import static io.inferscope.analyzer.model.ColumnKind.BYTES;
import static io.inferscope.analyzer.model.ColumnKind.BYTES_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.BYTES_PER_SECOND;
import static io.inferscope.analyzer.model.ColumnKind.COUNT;
import static io.inferscope.analyzer.model.ColumnKind.DIMS;
import static io.inferscope.analyzer.model.ColumnKind.FLOPS;
import static io.inferscope.analyzer.model.ColumnKind.FLOPS_PER_SECOND;
import static io.inferscope.analyzer.model.ColumnKind.ID_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NAME;
import static io.inferscope.analyzer.model.ColumnKind.NAME_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NS;
import static io.inferscope.analyzer.model.ColumnKind.NS_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.POINT;
import static io.inferscope.analyzer.model.ColumnKind.RATIO;
import static io.inferscope.analyzer.model.ColumnKind.TENSORS;
import static io.inferscope.analyzer.model.ColumnKind.TRAFFIC;
import static io.inferscope.analyzer.model.ColumnKind.TYPES_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.WORDS;
import static io.inferscope.analyzer.model.ColumnKind.WORDS_OR_NONE;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows about operators by the shapes of their inputs, with their work compared to the device's peak; CUDA graphs; memory
 * of the framework's allocator.
 */
public final class ShapeTables {
    private ShapeTables() {}

    public static final TableId<GraphFigures> GRAPHS = new TableId<>("graphs", GraphFigures.class);

    /**
     * One graph on one device: launches that replayed the same operations. Times of one replay are medians over its
     * replays.
     */
    public record GraphFigures(
            String device,
            String name,
            String call,
            long replays,
            long operations,
            long lengthNs,
            long busyNs,
            long insideIdleNs,
            @Nullable Long gapNs,
            long launchNs,
            long totalInsideIdleNs,
            long totalGapNs,
            String source,
            List<GraphKernel> kernels)
            implements Row {
        public GraphFigures {
            kernels = List.copyOf(kernels);
        }

        @Override
        public void columns(Columns to) {
            to.add("device", WORDS, "", device).doc("the device");
            to.add("name", WORDS, "Graph", name).doc("`graph 1` and so on, the graph with most time first");
            to.shown(WORDS, "Device", device);
            to.add("call", NAME, "Launched by", call).doc("the launching call");
            to.add("replays", COUNT, "Replays", replays).doc("how often it was replayed");
            to.add("operations", COUNT, "Operations", operations).doc("kernels, copies and sets of one replay");
            to.shown(NS, "Launch call", launchNs);
            to.add("lengthNs", NS, "Length", lengthNs).doc("from a replay's first start to its last end");
            to.add("busyNs", NS, "Busy inside", busyNs).doc("time of that in which the device worked");
            to.add("insideIdleNs", NS, "Idle inside", insideIdleNs)
                    .doc("time of that in which the device was idle: dependencies and scheduling inside the graph");
            to.add("gapNs", NS_OR_NONE, "Idle after", gapNs)
                    .doc("idle time from the end of a replay to the device's next work; null when nothing follows");
            to.add("launchNs", NS, "", launchNs).doc("length of the launching call");
            to.add("totalInsideIdleNs", NS, "", totalInsideIdleNs).doc("idle time inside, over all replays");
            to.add("totalGapNs", NS, "", totalGapNs).doc("idle time after replays, over all of them");
            to.add("operatorsFrom", WORDS_OR_NONE, "Operators known from", source)
                    .doc("how the operators of its kernels are known: `capture`, `eager run` or `kernel names`");
            to.rows("kernels", GraphKernel.class, kernels).doc("its kernels by name, longest first; the ten longest");
        }
    }

    public record GraphKernel(String name, String operator, long perReplay, long totalNs) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "", name).doc("the kernel");
            to.add("operator", NAME_OR_NONE, "", operator)
                    .doc("the operator that launched it when the graph was captured");
            to.add("perReplay", COUNT, "", perReplay).doc("how often one replay runs it");
            to.add("totalNs", NS, "", totalNs).doc("its time over all replays");
        }
    }

    public static final TableId<OperatorShape> OPERATOR_SHAPES = new TableId<>("operatorShapes", OperatorShape.class);

    /** One operator with inputs of certain shapes and types. */
    public record OperatorShape(
            String name,
            String dims,
            String types,
            @Nullable WorkKind kind,
            long count,
            long hostNs,
            long deviceNs,
            double share,
            @Nullable Double flops,
            @Nullable Double bytes,
            @Nullable Double flopsPerSecond,
            @Nullable Double bytesPerSecond,
            @Nullable RooflineBound bound,
            @Nullable Double efficiency,
            @Nullable RooflineRemark remark,
            @Nullable MatrixUnits matrixUnits)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "Operator", name).doc("the operator");
            to.add("inputDims", DIMS, "Inputs", dims).doc("sizes of its inputs");
            to.add("inputTypes", TYPES_OR_NONE, "Types", types).doc("types of its inputs");
            to.add("kind", ID_OR_NONE, "", kind)
                    .doc(
                            "`matmul`, `convolution`, `attention`, `normalisation`, `softmax`, `elementwise`, `reduction`, `embedding` or `copy`; null where its work is not known");
            to.add("count", COUNT, "Count", count).doc("calls");
            to.add("hostNs", NS, "Host", hostNs).doc("host time");
            to.add("deviceNs", NS, "", deviceNs).doc("time of the device operations launched under it; 0 without");
            to.shown(NS, "Device", deviceNs == 0 ? "" : deviceNs);
            to.add("share", RATIO, "Share", share)
                    .doc(
                            "its part of the time of all operators with recorded inputs: device time, or host time without devices");
            to.add("flops", FLOPS, "FLOPs", flops).doc("floating-point operations that one call needs");
            to.add("bytes", TRAFFIC, "Bytes", bytes).doc("least memory traffic of one call");
            to.add("flopsPerSecond", FLOPS_PER_SECOND, "FLOP/s", flopsPerSecond).doc("achieved");
            to.add("bytesPerSecond", BYTES_PER_SECOND, "Bytes/s", bytesPerSecond)
                    .doc("achieved");
            to.add("bound", ID_OR_NONE, "Bound by", bound)
                    .doc("`compute` or `memory`: which needs more time at the device's peak");
            to.add("efficiency", RATIO, "", efficiency).doc("the least possible time as a ratio of the time taken");
            to.shown(
                    RATIO,
                    "Efficiency",
                    efficiency == null
                            ? null
                            : Units.percent(efficiency) + (remark == null ? "" : " (" + remark.id() + ")"));
            to.add("remark", ID_OR_NONE, "", remark)
                    .doc(
                            "`above peak`: one of the figures must be wrong; `from cache`: the traffic fits into the device's cache, which is faster than its memory");
            to.add("matrixUnits", ID_OR_NONE, "Matrix units", matrixUnits)
                    .doc("`used` or `unused`: whether its kernels ran on tensor or matrix cores, by their names");
        }
    }

    /** Of a shape log of the whole run, most work first, cut to the first; no analysis makes it. */
    public static final TableId<LoggedShape> LOGGED_SHAPES = new TableId<>("loggedShapes", LoggedShape.class);

    /**
     * One operator with inputs and outputs of certain shapes, from a shape log of the whole run. Such a log has no
     * times.
     */
    public record LoggedShape(
            String name,
            List<ShapeTensor> inputs,
            List<ShapeTensor> outputs,
            long calls,
            @Nullable Double flops,
            @Nullable Double bytes,
            long timedCalls,
            long hostNs,
            long deviceNs)
            implements Row {
        public LoggedShape {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }

        @Override
        public void columns(Columns to) {
            to.add("operation", NAME, "", name).doc("the operator as the log has it, `aten.mm.default`");
            to.add("calls", COUNT, "", calls).doc("in the whole run");
            to.add("flops", FLOPS, "", flops).doc("floating-point operations of one call");
            to.add("bytes", TRAFFIC, "", bytes).doc("least memory traffic of one call");
            to.add("timedCalls", COUNT, "", timedCalls).doc("calls with these inputs of which the recording has times");
            to.add("hostNs", NS, "", hostNs).doc("host time of these");
            to.add("deviceNs", NS, "", deviceNs).doc("time of device operations under them");
            to.add("inputs", TENSORS, "", inputs).doc("tensors among its arguments: `name`, `dtype`, `shape`");
            to.add("outputs", TENSORS, "", outputs).doc("tensors that it returned, likewise");
        }
    }

    public static final TableId<PeakFigures> DEVICE_PEAKS = new TableId<>("devicePeaks", PeakFigures.class);

    /** The peak that a device's operators are compared with. */
    public record PeakFigures(
            String device, String model, double fp16, double fp32, double bytesPerSecond, String source)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("device", WORDS, "Device", device).doc("the device");
            to.add("model", WORDS, "Model", model).doc("what the vendor calls it");
            to.add("fp16FlopsPerSecond", FLOPS_PER_SECOND, "FP16 and BF16", fp16)
                    .doc("dense peak in float16 and bfloat16 on matrix units");
            to.add("fp32FlopsPerSecond", FLOPS_PER_SECOND, "FP32", fp32).doc("dense peak in float32");
            to.add("bytesPerSecond", BYTES_PER_SECOND, "Memory", bytesPerSecond).doc("peak of its memory");
            to.add("source", WORDS, "Source", source).doc("where that is written");
        }
    }

    public static final TableId<MemoryFigures> ALLOCATORS = new TableId<>("allocators", MemoryFigures.class);

    /** The framework's allocator of one process for one memory. */
    public record MemoryFigures(
            String process,
            String device,
            long events,
            long peakAllocatedBytes,
            long peakNs,
            String operator,
            @Nullable Long peakReservedBytes,
            long lastAllocatedBytes,
            @Nullable Long capacityBytes)
            implements Row {
        @Override
        public void columns(Columns to) {
            to.add("process", NAME, "Process", process).doc("the process");
            to.add("device", WORDS, "", device).doc("the device's index, `host` for the host's memory");
            to.shown(WORDS, "Memory of", device.equals("host") ? device : "device " + device);
            to.add("events", COUNT, "Events", events).doc("allocations and releases");
            to.add("peakAllocatedBytes", BYTES, "Peak given out", peakAllocatedBytes)
                    .doc("most that was allocated at once");
            to.add("peakNs", POINT, "At", peakNs).doc("when that was");
            to.add("operator", NAME_OR_NONE, "Allocating operator", operator).doc("the operator that allocated then");
            to.add("peakReservedBytes", BYTES_OR_NONE, "", peakReservedBytes).doc("most that the allocator held");
            to.shown(BYTES, "Peak held", peakReservedBytes == null || peakReservedBytes <= 0 ? "" : peakReservedBytes);
            to.add("lastAllocatedBytes", BYTES, "Given out at the end", lastAllocatedBytes)
                    .doc("allocated at the end");
            to.add("capacityBytes", BYTES_OR_NONE, "", capacityBytes).doc("the device's memory");
            to.shown(BYTES, "Capacity", capacityBytes == null || capacityBytes <= 0 ? "" : capacityBytes);
        }
    }
}

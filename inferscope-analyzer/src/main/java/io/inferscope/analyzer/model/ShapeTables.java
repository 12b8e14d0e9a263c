package io.inferscope.analyzer.model;

import io.inferscope.timeline.shapes.ShapeTensor;
import java.util.List;

/**
 * Operators by the shapes of their inputs: their work against the peak of the device; CUDA graphs; memory of the framework's allocator.
 *
 * @param graphs one line per graph that was replayed, longest first
 * @param part what the operators are of: {@code steady-state} where that is judged and has any, else the rest: {@code span} or {@code window};
 *     empty without operators
 * @param operators one line per operator, shapes and types, longest first, cut to the longest
 * @param peaks one line per device whose peak is known and that ran any of the operators
 * @param memory one line per process and device whose allocator was recorded
 * @param logged one line per operator and shapes of a shape log of the whole run, most work first, cut to the first; empty without a log
 */
public record ShapeTables(
        List<GraphFigures> graphs,
        String part,
        List<OperatorShape> operators,
        List<PeakFigures> peaks,
        List<MemoryFigures> memory,
        List<LoggedShape> logged) {
    /** Nothing of that is known. */
    public static final ShapeTables NONE = new ShapeTables(List.of(), "", List.of(), List.of(), List.of());

    /** Copies the lists. */
    public ShapeTables {
        graphs = List.copyOf(graphs);
        operators = List.copyOf(operators);
        peaks = List.copyOf(peaks);
        memory = List.copyOf(memory);
        logged = List.copyOf(logged);
    }

    /** Makes tables without a shape log. */
    public ShapeTables(
            List<GraphFigures> graphs,
            String part,
            List<OperatorShape> operators,
            List<PeakFigures> peaks,
            List<MemoryFigures> memory) {
        this(graphs, part, operators, peaks, memory, List.of());
    }

    /** Returns these with a shape log. */
    public ShapeTables with(List<LoggedShape> shapes) {
        return new ShapeTables(graphs, part, operators, peaks, memory, shapes);
    }

    /**
     * One graph on one device: launches that replayed the same operations. Times of one replay are medians over its replays.
     *
     * @param name {@code graph 1} and so on, the graph with most time first
     * @param call the name of the launching call
     * @param replays how often it was replayed
     * @param operations kernels, copies and sets of one replay
     * @param lengthNs from the start of the first to the end of the last
     * @param busyNs time of that in which the device worked
     * @param insideIdleNs time of that in which the device was idle: dependencies and scheduling inside the graph
     * @param gapNs idle time from the end of a replay to the next work of the device; -1 when nothing follows
     * @param launchNs length of the launching call
     * @param totalInsideIdleNs idle time inside, over all replays
     * @param totalGapNs idle time after replays, over all of them
     * @param source how the operators of its kernels are known: {@code capture}, {@code eager run}, {@code kernel names}; empty when they are not
     * @param kernels its kernels by name, longest first, cut to the longest
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
            long gapNs,
            long launchNs,
            long totalInsideIdleNs,
            long totalGapNs,
            String source,
            List<GraphKernel> kernels) {
        /** Copies the list. */
        public GraphFigures {
            kernels = List.copyOf(kernels);
        }
    }

    /**
     * A kernel of a graph.
     *
     * @param operator the operator that launched it when the graph was captured; empty when not known
     * @param perReplay how often one replay runs it
     * @param totalNs its time over all replays
     */
    public record GraphKernel(String name, String operator, long perReplay, long totalNs) {}

    /**
     * One operator with inputs of certain shapes and types.
     *
     * @param dims sizes of its inputs
     * @param types types of its inputs; empty when not recorded
     * @param kind what it is; empty where its work is not known
     * @param count calls
     * @param hostNs host time
     * @param deviceNs time of device operations launched under it; 0 without
     * @param share of the time by which the table is sorted, over all operators with recorded inputs
     * @param flops floating-point operations of one call, {@link Double#NaN} when not known
     * @param bytes least memory traffic of one call, {@link Double#NaN} when not known
     * @param flopsPerSecond achieved, {@link Double#NaN} when not known
     * @param bytesPerSecond achieved, {@link Double#NaN} when not known
     * @param bound {@code compute} or {@code memory}; empty when the device's peak is not known
     * @param efficiency ratio of the least possible time to the time taken, {@link Double#NaN} when not known
     * @param remark {@code above peak}, {@code from cache}, or empty
     * @param matrixUnits {@code used}, {@code unused} or empty: whether its kernels ran on tensor or matrix cores, by their names
     */
    public record OperatorShape(
            String name,
            String dims,
            String types,
            String kind,
            long count,
            long hostNs,
            long deviceNs,
            double share,
            double flops,
            double bytes,
            double flopsPerSecond,
            double bytesPerSecond,
            String bound,
            double efficiency,
            String remark,
            String matrixUnits) {}

    /**
     * One operator with inputs and outputs of certain shapes, by a log of the whole run, which has no times.
     *
     * @param name as the log has it, {@code aten.mm.default}
     * @param inputs tensors among its arguments
     * @param outputs tensors that it returned
     * @param calls in the whole run
     * @param flops floating-point operations of one call, {@link Double#NaN} when not known
     * @param bytes least memory traffic of one call, {@link Double#NaN} when not known
     * @param timedCalls calls with these inputs of which the recording has times; 0 where it has none
     * @param hostNs host time of the {@code timedCalls}
     * @param deviceNs time of device operations under them
     */
    public record LoggedShape(
            String name,
            List<ShapeTensor> inputs,
            List<ShapeTensor> outputs,
            long calls,
            double flops,
            double bytes,
            long timedCalls,
            long hostNs,
            long deviceNs) {
        /** Copies the lists. */
        public LoggedShape {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }
    }

    /**
     * The peak that a device's operators are held against.
     *
     * @param model as the vendor calls it
     * @param fp16 operations per second in float16 and bfloat16 on matrix units
     * @param fp32 operations per second in float32
     * @param bytesPerSecond of its memory
     * @param source where that is written
     */
    public record PeakFigures(
            String device, String model, double fp16, double fp32, double bytesPerSecond, String source) {}

    /**
     * The framework's allocator of one process for one memory.
     *
     * @param device the device's index, {@code host} for the host's memory
     * @param events allocations and releases
     * @param peakAllocatedBytes most that was given out at once
     * @param peakNs when that was
     * @param operator the operator that allocated then; empty when none was recorded
     * @param peakReservedBytes most that the allocator held; -1 when not recorded
     * @param lastAllocatedBytes what was given out at the end
     * @param capacityBytes the device's memory; -1 when not recorded
     */
    public record MemoryFigures(
            String process,
            String device,
            long events,
            long peakAllocatedBytes,
            long peakNs,
            String operator,
            long peakReservedBytes,
            long lastAllocatedBytes,
            long capacityBytes) {}
}

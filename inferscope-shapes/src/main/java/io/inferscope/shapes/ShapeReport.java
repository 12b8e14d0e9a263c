package io.inferscope.shapes;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.log.ShapeBody.Call;
import io.inferscope.shapes.log.ShapeLogStats;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The report on one or more shape logs. Lists that were not asked for are empty. Numbers of calls count every call that
 * passed the filter; work is summed over the calls whose formula is known.
 *
 * @param title title for all logs together
 * @param quick whether operators alone were counted, without their shapes
 * @param logs one line per log
 * @param totals of all logs together
 * @param phases one line per phase of the engine; empty when the logs have no markers
 * @param passes forward passes in their order, cut to the first
 * @param passCount how many passes there were
 * @param operators most calls first, cut to the first
 * @param shapes signatures by operator in the same order, most calls first, each operator cut to its first
 * @param largest tensors, largest first, cut to the first
 * @param diversity operators, most signatures first, cut to the first
 * @param errors calls that failed, by operator, error and shapes, cut to the first
 * @param differences operators whose calls or shapes are not the same in all logs, largest difference first, cut to the
 *     first; empty for one log
 * @param differenceCount how many such operators there are before the list was cut
 * @param replays operators in replays of CUDA graphs, most calls first; no other figure includes these calls
 * @param cautions what a reader must know to trust the figures
 */
public record ShapeReport(
        String title,
        boolean quick,
        List<LogFigures> logs,
        Totals totals,
        List<PhaseFigures> phases,
        List<PassFigures> passes,
        long passCount,
        List<OperatorFigures> operators,
        List<SignatureFigures> shapes,
        List<TensorFigures> largest,
        List<OperatorFigures> diversity,
        List<SignatureFigures> errors,
        List<Difference> differences,
        long differenceCount,
        List<ReplayFigures> replays,
        List<String> cautions) {
    /**
     * One log.
     *
     * @param rank of its process according to the summary, -1 when not known
     * @param rows number of rows that are calls
     * @param markers number of rows that are markers, by the marker's name
     * @param leftOut number of calls that the filter left out
     * @param lastPass highest number of a forward pass, -1 if the log has none
     * @param summary where the recorder's summary differs from the log; {@code agrees} where it does not; empty when
     *     there is no summary
     */
    public record LogFigures(
            String name,
            long rank,
            long rows,
            Map<String, Long> markers,
            long leftOut,
            long lastPass,
            Totals totals,
            ShapeLogStats stats,
            String summary) {}

    /**
     * Sums over calls.
     *
     * @param operators number of different operators, by name
     * @param shapes number of different signatures: operator, names, types and sizes of inputs and outputs
     * @param errors calls that failed
     * @param elements elements of all outputs, at most {@link Long#MAX_VALUE}
     * @param flops floating-point operations of the {@code workCalls}
     * @param workCalls calls whose operations are known
     * @param bytes least memory traffic of the {@code trafficCalls}
     * @param trafficCalls calls whose traffic is known
     */
    public record Totals(
            long calls,
            long operators,
            long shapes,
            long errors,
            long elements,
            double flops,
            long workCalls,
            double bytes,
            long trafficCalls) {}

    /**
     * A phase of the engine, by its markers.
     *
     * @param name {@code prefill}, {@code decode}; empty for calls before the first marker
     * @param passes forward passes that began in it
     */
    public record PhaseFigures(String name, long passes, Totals totals) {}

    /**
     * A forward pass; with several ranks, the passes with the same number of all ranks.
     *
     * @param phase phase in which the pass began; empty when the log has no markers
     */
    public record PassFigures(long number, String phase, Totals totals) {}

    public record OperatorFigures(String name, Totals totals) {}

    /**
     * An operator in CUDA graphs.
     *
     * @param captured calls that captures of graphs saw
     * @param totals sums over the calls in replays; shapes and work of each are those seen at the capture
     */
    public record ReplayFigures(String operation, long captured, Totals totals) {}

    /**
     * A signature.
     *
     * @param call operator, inputs, outputs, failure
     * @param calls with it
     * @param firstCall number of the first of them, -1 when not logged
     * @param firstLog name of the log that holds this first call
     * @param flops of one call, {@link Double#NaN} when not known
     * @param bytes least memory traffic of one call, {@link Double#NaN} when not known
     * @param tensorBytes size of inputs and outputs in memory, -1 when a type is not known
     */
    public record SignatureFigures(
            Call call, long calls, long firstCall, String firstLog, double flops, double bytes, long tensorBytes) {}

    /**
     * A tensor, as an operator's argument or output.
     *
     * @param output whether it is an output
     * @param bytes its size in memory, -1 when its type is not known
     * @param calls that had it
     * @param firstCall number of the first call of a signature with it, -1 when not logged
     */
    public record TensorFigures(
            String operation, boolean output, ShapeTensor tensor, long bytes, long calls, long firstCall) {}

    /**
     * An operator whose calls or shapes are not the same in all logs.
     *
     * @param calls per log
     * @param shapes different signatures per log
     * @param common signatures that all logs have
     * @param example a signature that one of the logs lacks or has with another number of calls; null where only calls
     *     differ whose shapes were not kept
     * @param exampleCalls calls with it, per log
     */
    public record Difference(
            String operation,
            List<Long> calls,
            List<Long> shapes,
            long common,
            @Nullable Call example,
            List<Long> exampleCalls) {
        /** Returns the largest number of calls less the smallest. */
        public long spread() {
            return Collections.max(calls) - Collections.min(calls);
        }
    }
}

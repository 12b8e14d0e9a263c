package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reports time in which the running kernels have blocks for only a part of the GPU. Basis and threshold:
 * docs/rules/few-blocks.md.
 *
 * <pre>
 *   stream 7   [reduce: 1 block         ]
 *   stream 8           [gemm: 96 blocks]
 *   counts      -------                -     28 multiprocessors
 * </pre>
 */
final class FewBlocksRule extends Rule {
    private static final int MOST_PLACES = 3;

    /** A device runs at most so many kernels at once: CUDA C++ Programming Guide, "Compute Capabilities". */
    private static final int MOST_RUNNING = 128;

    /** The shape of a launch. */
    private record Shape(long blocks, long threads) {
        static @Nullable Shape of(Timeline timeline, int row) {
            long blocks = timeline.attribute(row, Attribute.GRID_BLOCKS);
            return blocks < 0 ? null : new Shape(blocks, timeline.attribute(row, Attribute.BLOCK_THREADS));
        }
    }

    /** A running kernel; its shape may be unknown. */
    private static final class Running {
        private final int row;
        private final long endNs;
        private final @Nullable Shape shape;
        private boolean counted;

        Running(int row, long endNs, @Nullable Shape shape) {
            this.row = row;
            this.endNs = endNs;
            this.shape = shape;
        }
    }

    /** The time of one kernel in one shape. */
    private static final class Few {
        private final String kernel;
        private final Shape shape;
        private long ns;
        private long count;

        Few(String kernel, Shape shape) {
            this.kernel = kernel;
            this.shape = shape;
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        Timeline timeline = analysis.timeline();
        long multiprocessors = timeline.number("device." + device.id() + ".sms", 0);
        if (multiprocessors <= 0 || !timeline.has(Attribute.GRID_BLOCKS)) {
            return new Verdict.NotApplicable("the launch configurations of kernels are not recorded");
        }
        Map<List<Long>, Few> found = found(analysis, device, multiprocessors);
        Ledger ledger = analysis.ledger();
        long costNs = found.values().stream().mapToLong(few -> few.ns).sum();
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("kernels with blocks for less than "
                    + Units.percent(limit(analysis, "filled")) + " of the multiprocessors take "
                    + ledger.shareOfPart(costNs));
        }
        List<Few> kernels = found.values().stream()
                .sorted(Order.<Few>comparingLong(few -> few.ns).reversed())
                .toList();
        FindingBuilder finding = finding(ledger, costNs)
                .measure("filled", Units.percent(limit(analysis, "filled")))
                .measure("sms", Units.count(multiprocessors))
                .measure("shape", words(kernels.get(0).shape));
        kernels.stream()
                .limit(MOST_PLACES)
                .forEach(few -> finding.place("kernel of " + words(few.shape), few.kernel, few.ns, few.count));
        return Verdict.found(
                finding.advice(analysis).noGain("how the work divides into more blocks is not in the recording"));
    }

    /** Returns, by kernel and shape, the time of the judged part in which all running kernels have few blocks. */
    private Map<List<Long>, Few> found(Analysis analysis, DeviceActivity device, long multiprocessors) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        double enough = limit(analysis, "filled") * multiprocessors;
        double leastNs = limit(analysis, "kernel.ns");
        Map<List<Long>, Few> found = new LinkedHashMap<>();
        List<Running> running = new ArrayList<>();
        long fromNs = part.startNs();
        for (int i = 0; i <= device.operationCount(); i++) {
            int row = i < device.operationCount() ? device.row(i) : -1;
            long nextNs = row < 0 ? part.endNs() : Math.min(part.endNs(), timeline.startNs(row));
            while (fromNs < nextNs) {
                long endNs = nextNs;
                for (Running one : running) {
                    endNs = Math.min(endNs, one.endNs);
                }
                count(timeline, running, Math.max(0, endNs - fromNs), enough, leastNs, found);
                fromNs = Math.max(fromNs, endNs);
                long nowNs = fromNs;
                running.removeIf(one -> one.endNs <= nowNs);
            }
            if (row >= 0
                    && running.size() < MOST_RUNNING
                    && timeline.kind(row) == RowKind.KERNEL
                    && timeline.endNs(row) > fromNs) {
                // Collectives wait for the network: more blocks would only take multiprocessors from others.
                Shape shape = device.isCommunication(row) ? null : Shape.of(timeline, row);
                running.add(new Running(row, timeline.endNs(row), shape));
            }
        }
        return found;
    }

    /** Gives an interval to the running kernel that started first, if all together have few blocks. */
    private static void count(
            Timeline timeline,
            List<Running> running,
            long ns,
            double enough,
            double leastNs,
            Map<List<Long>, Few> found) {
        long blocks = 0;
        for (Running one : running) {
            if (one.shape == null) {
                return;
            }
            blocks += one.shape.blocks();
        }
        if (ns == 0 || running.isEmpty() || blocks >= enough || timeline.durationNs(running.get(0).row) < leastNs) {
            return;
        }
        Running first = running.get(0);
        Shape shape = first.shape;
        if (shape != null) {
            // A list: the first hash of a record takes longer than the rest of the analysis of a small trace.
            List<Long> launched = List.of((long) timeline.nameId(first.row), shape.blocks(), shape.threads());
            Few few = found.computeIfAbsent(launched, key -> new Few(timeline.name(first.row), shape));
            few.ns += ns;
            few.count += first.counted ? 0 : 1;
            first.counted = true;
        }
    }

    private static String words(Shape shape) {
        return Units.count(shape.blocks())
                + (shape.blocks() == 1 ? " block of " : " blocks of ")
                + Units.count(shape.threads())
                + (shape.threads() == 1 ? " thread" : " threads");
    }
}

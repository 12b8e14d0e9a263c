package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.DeviceFact;
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

    /** The configuration of a launch. */
    private record Configuration(long blocks, long threads) {
        static @Nullable Configuration of(Timeline timeline, int row) {
            long blocks = timeline.attribute(row, Attribute.GRID_BLOCKS);
            return blocks < 0 ? null : new Configuration(blocks, timeline.attribute(row, Attribute.BLOCK_THREADS));
        }
    }

    /** A running kernel; its configuration may be unknown. */
    private static final class Running {
        private final int row;
        private final long endNs;
        private final @Nullable Configuration configuration;
        private boolean counted;

        Running(int row, long endNs, @Nullable Configuration configuration) {
            this.row = row;
            this.endNs = endNs;
            this.configuration = configuration;
        }
    }

    /** The time of one kernel in one configuration. */
    private static final class Few {
        private final String kernel;
        private final Configuration configuration;
        private long ns;
        private long count;

        Few(String kernel, Configuration configuration) {
            this.kernel = kernel;
            this.configuration = configuration;
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        Timeline timeline = analysis.timeline();
        long multiprocessors = DeviceFact.SMS.number(timeline, device.id());
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
                .measure("configuration", words(kernels.get(0).configuration));
        kernels.stream()
                .limit(MOST_PLACES)
                .forEach(few -> finding.place("kernel of " + words(few.configuration), few.kernel, few.ns, few.count));
        return Verdict.found(
                finding.advice(analysis).noGain("how the work divides into more blocks is not in the recording"));
    }

    /** Returns, by kernel and configuration, the time of the judged part in which all running kernels have few blocks. */
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
                Configuration configuration = device.isCommunication(row) ? null : Configuration.of(timeline, row);
                running.add(new Running(row, timeline.endNs(row), configuration));
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
            if (one.configuration == null) {
                return;
            }
            blocks += one.configuration.blocks();
        }
        if (ns == 0 || running.isEmpty() || blocks >= enough || timeline.durationNs(running.get(0).row) < leastNs) {
            return;
        }
        Running first = running.get(0);
        Configuration configuration = first.configuration;
        if (configuration != null) {
            // A list: the first hash of a record takes longer than the rest of the analysis of a small trace.
            List<Long> launched =
                    List.of((long) timeline.nameId(first.row), configuration.blocks(), configuration.threads());
            Few few = found.computeIfAbsent(launched, key -> new Few(timeline.name(first.row), configuration));
            few.ns += ns;
            few.count += first.counted ? 0 : 1;
            first.counted = true;
        }
    }

    private static String words(Configuration configuration) {
        return Units.count(configuration.blocks())
                + (configuration.blocks() == 1 ? " block of " : " blocks of ")
                + Units.count(configuration.threads())
                + (configuration.threads() == 1 ? " thread" : " threads");
    }
}

package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Runs.Run;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Reports that a few requests or steps take far longer than most, and what these do that the others do not. */
final class SlowOutliersRule extends Rule {
    private static final String ID = "slow-outliers";
    private static final Threshold SHARE = Threshold.of(ID + ".share");

    /** Fewer have no typical length. */
    private static final int LEAST = 40;

    private static final int LEAST_SLOW = 4;

    /** If more are slow, there are two kinds of them. */
    private static final double MOST_SLOW = 0.15;

    /** Slow calls of a model that come evenly, at most so many apart, end rounds: what follows is no exception. */
    private static final int LONGEST_ROUND = 20;

    private static final double EVENLY = 0.8;

    /** Passes that read this many times the tokens of the others are slow for that reason. */
    private static final double MORE_TOKENS = 2;

    /** Fewer slow ones with a stack sample show nothing. */
    private static final int LEAST_SEEN = 8;

    /** A search tries several algorithms; a larger input takes as many kernels. */
    private static final Threshold SEARCHING = Threshold.of(ID + ".search-ratio");

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<Runs> most =
                Runs.withMostTimeOnAny(analysis).filter(runs -> runs.all().size() >= LEAST);
        if (most.isEmpty()) {
            return Runs.fewerThan(LEAST, "steps");
        }
        Runs runs = most.get();
        Percentiles lengthsNs = new Percentiles();
        runs.all().forEach(run -> lengthsNs.add(run.ns()));
        long medianNs = lengthsNs.percentile(50);
        double limitNs = limit(analysis, "ratio") * medianNs;
        Map<Boolean, List<Run>> bySlow =
                runs.all().stream().collect(Collectors.partitioningBy(run -> run.ns() > limitNs));
        List<Run> slow = bySlow.getOrDefault(true, List.of());
        List<Run> others = bySlow.getOrDefault(false, List.of());
        long moreNs = slow.stream().mapToLong(run -> run.ns() - medianNs).sum();
        Optional<String> innocent =
                innocent(analysis, runs, slow, others, (double) moreNs / Math.max(1, runs.totalNs()));
        return innocent.isPresent()
                ? Verdict.clean("of " + Units.count(runs.all().size()) + " " + runs.what() + ", " + slow.size()
                        + " take more than " + Units.fixed(limit(analysis, "ratio"), 0) + " times the median: "
                        + innocent.get())
                : Verdict.found(finding(analysis, runs, slow, others, lengthsNs, moreNs));
    }

    /** Returns why the slow ones are no finding; empty if they are one. */
    private static Optional<String> innocent(
            Analysis analysis, Runs runs, List<Run> slow, List<Run> others, double share) {
        if (slow.size() > MOST_SLOW * runs.all().size()) {
            return Optional.of("too many for outliers");
        }
        String ofAll = Units.percent(share) + " of the time of all";
        if (slow.size() < LEAST_SLOW || share < analysis.threshold(SHARE)) {
            return Optional.of(ofAll);
        }
        if (areFirst(slow, runs.all())) {
            return Optional.of(ofAll + ", most of them at the beginning");
        }
        if (runs.tokensRatio(analysis, slow, others) >= MORE_TOKENS) { // As the first pass of a generation does.
            return Optional.of(ofAll + ", and they read more tokens");
        }
        return runs.name().startsWith(ForwardPasses.NAME) && comeEvenly(slow, runs.all())
                ? Optional.of(ofAll + ", evenly: what follows a round of the model's calls")
                : Optional.empty();
    }

    private static boolean comeEvenly(List<Run> slow, List<Run> all) {
        Set<Run> slowOnes = Set.copyOf(slow);
        int[] at = IntStream.range(0, all.size())
                .filter(i -> slowOnes.contains(all.get(i)))
                .toArray();
        int[] apart = IntStream.range(1, at.length)
                .map(i -> at[i] - at[i - 1])
                .sorted()
                .toArray();
        int usual = apart[apart.length / 2];
        long even = Arrays.stream(apart).filter(n -> Math.abs(n - usual) <= 1).count();
        return usual <= LONGEST_ROUND && even >= EVENLY * apart.length;
    }

    /** Returns whether most of the slow ones are among the first quarter: caches that fill, and code that loads. */
    private static boolean areFirst(List<Run> slow, List<Run> all) {
        long quarterNs = all.get(all.size() / 4).startNs();
        return 2 * slow.stream().filter(run -> run.startNs() <= quarterNs).count() > slow.size();
    }

    private FindingBuilder finding(
            Analysis analysis, Runs runs, List<Run> slow, List<Run> others, Percentiles lengthsNs, long moreNs) {
        Ledger ledger = HostShare.judged(analysis);
        Run longest = slow.stream().max(Order.comparingLong(Run::ns)).orElseThrow();
        FindingBuilder finding = finding(ledger, Math.min(moreNs, ledger.durationNs()))
                .measure("what", slow.size() + " of " + Units.count(runs.all().size()) + " " + runs.what())
                .measure("median", Units.duration(lengthsNs.percentile(50)))
                .measure(
                        "least",
                        Units.duration(slow.stream().mapToLong(Run::ns).min().orElse(0)))
                .measure("longest", Units.duration(longest.ns()))
                .measure("of all", Units.percent((double) moreNs / runs.totalNs()))
                .quantity("99th percentile", lengthsNs.percentile(99), "ns")
                .quantity("95th percentile", lengthsNs.percentile(95), "ns")
                .noGain("whether the slow ones could do without it is not recorded");
        List<Run> seen = Runs.seen(analysis, slow);
        if (seen.size() < Math.min(LEAST_SEEN, slow.size())) {
            finding.severity(Severity.INFO)
                    .advice("A longer recording shows what the slow ones do: samples saw " + seen.size() + " of them.");
        } else if (2 * longerBusyNs(analysis, slow, others) * slow.size() > moreNs) {
            worksLonger(finding, analysis, slow, others);
        } else {
            double meanMoreNs = (double) moreNs / slow.size();
            explain(finding, analysis, LongerRuns.amongOthers(analysis, slow, seen, others, meanMoreNs));
        }
        return finding.evidence(new Evidence.Range(
                "the longest",
                longest.startNs(),
                longest.endNs(),
                Threads.label(analysis.timeline(), longest.thread()),
                ""));
    }

    /** The device works longer in the slow ones: for larger inputs, or in search of the fastest algorithm. */
    private static void worksLonger(FindingBuilder finding, Analysis analysis, List<Run> slow, List<Run> others) {
        finding.measure("busy", Units.duration((long) longerBusyNs(analysis, slow, others)));
        double more = convolving(analysis, slow);
        double usual = convolving(analysis, others);
        if (more >= analysis.threshold(SEARCHING) * Math.max(1, usual)) {
            finding.causes(List.of(LedgerClass.GPU_COMPUTE))
                    .measure("more", Units.count(Math.round(more)))
                    .measure("usual", Units.count(Math.round(usual)))
                    .claim(ID, "slow-outliers.search")
                    .advice("slow-outliers.search", analysis);
            return;
        }
        finding.severity(Severity.INFO).claim(ID, "slow-outliers.device").advice("slow-outliers.device", analysis);
    }

    /** Returns how many kernels convolutions launch in a run, on average. */
    private static double convolving(Analysis analysis, List<Run> runs) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        TreeMap<Long, Run> byStart = new TreeMap<>();
        runs.forEach(run -> byStart.put(run.startNs(), run));
        long kernels = 0;
        for (int i = 0; i < device.operationCount(); i++) {
            int operator = ApiCalls.operatorOf(timeline, device.launch(i));
            if (operator >= 0 && NameRole.CONVOLUTION.in(timeline.name(operator))) {
                Map.Entry<Long, Run> run = byStart.floorEntry(timeline.startNs(device.row(i)));
                kernels += run != null
                                && timeline.startNs(device.row(i))
                                        < run.getValue().endNs()
                        ? 1
                        : 0;
            }
        }
        return (double) kernels / Math.max(1, runs.size());
    }

    /** Returns how much longer the device works in a slow one than in another, by the means, in ns; 0 without one. */
    private static double longerBusyNs(Analysis analysis, List<Run> slow, List<Run> others) {
        return busyNs(analysis, slow) - busyNs(analysis, others);
    }

    private static double busyNs(Analysis analysis, List<Run> runs) {
        return analysis.headline()
                .map(device -> runs.stream()
                        .mapToLong(run -> device.busy().totalWithinNs(run.startNs(), run.endNs()))
                        .average()
                        .orElse(0))
                .orElse(0.0);
    }

    /** Adds what the slow ones spend their longer time on. */
    private static void explain(FindingBuilder finding, Analysis analysis, LongerRuns longer) {
        finding.claim(ID, "slow-outliers.longer", longer.tell(finding));
        longer.places(finding, ", more in the slow ones");
        if (longer.most() == LedgerClass.WAIT_RUN_QUEUE) {
            finding.severity(Severity.INFO)
                    .causes(List.of(LedgerClass.WAIT_RUN_QUEUE))
                    .noGainByItself("cpu-contention reports the lack of a CPU");
        } else if (!longer.isOther() && !longer.most().isWaiting()) {
            finding.severity(Severity.INFO); // Inputs of other sizes are no loss.
        }
        finding.advice(advice(longer) + Advice.against(longer.most(), analysis));
    }

    private static String advice(LongerRuns longer) {
        if (longer.most() == LedgerClass.WAIT_RUN_QUEUE) {
            return "The slow ones do what the others do, and got no CPU for a while. ";
        }
        if (longer.most().isWaiting() && !longer.isOnePlace()) {
            return "The slow ones wait where the others do not: see what they wait for. ";
        }
        return longer.isOther()
                ? "The slow ones do what the others need not, such as filling a cache or cleaning up: do it beforehand, in another thread, or in smaller pieces. "
                : "The slow ones do more of what the others do: look for larger inputs, limit their size or put equal sizes together. ";
    }
}

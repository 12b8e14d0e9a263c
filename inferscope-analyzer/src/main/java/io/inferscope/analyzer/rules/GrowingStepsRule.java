package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Runs.Run;
import java.util.List;
import java.util.Optional;

/** Reports requests or steps that take longer and longer, and what the late ones do more of than the early ones. */
final class GrowingStepsRule extends Rule {
    private static final String ID = "growing-steps";

    /** Fewer make parts too small for a typical length. */
    private static final int LEAST = 60;

    /**
     * Lengths that grow with up to the third power of the tokens read grow for that reason: attention takes the second, and
     * other programs take CPUs from long steps more than from short ones.
     */
    private static final double TOKENS_GROW = 1.0 / 3;

    /** Below this ratio, late passes read as many tokens as early ones. */
    private static final double SAME_TOKENS = 1.1;

    /** The part of the growth that passes have if the model itself computes longer. */
    private static final double IN_PASSES = 0.5;

    /** If requests at once grow by this part of the growth of lengths, there are more of them. */
    private static final double MORE_AT_ONCE = 0.8;

    /** Fewer with a stack sample show nothing. */
    private static final int LEAST_SEEN = 8;

    private static final String MEMORY = "host.rss_bytes";

    /** Growth of memory, of its last value, that is worth a line. */
    private static final double MEMORY_GROWS = 0.1;

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<Runs> most =
                Runs.withMostTime(analysis).filter(runs -> runs.all().size() >= LEAST);
        if (most.isEmpty()) {
            return Runs.fewerThan(LEAST, "steps of a program without a device");
        }
        Runs runs = most.get();
        Growth growth = new Growth(runs.all());
        String medians = runs.what() + " take " + Units.duration(growth.medianNs(0)) + " at first and "
                + Units.duration(growth.medianNs(Growth.PARTS - 1)) + " at last";
        if (growth.ratio() < limit(analysis, "ratio") || !growth.isSteady()) {
            return Verdict.clean(medians + ", and do not grow all the time");
        }
        Ledger ledger = HostShare.judged(analysis);
        long costNs = Math.min(growth.costNs(), ledger.durationNs());
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(medians + ": this costs " + ledger.shareOfPart(costNs));
        }
        FindingBuilder finding = finding(ledger, costNs, runs, growth);
        boolean inPasses = growsInPasses(analysis, runs, growth);
        double tokens = inPasses ? runs.tokensRatio(analysis, growth.late(), growth.early()) : 0;
        if (tokens > 1 && Math.log(tokens) >= TOKENS_GROW * Math.log(meanRatio(growth))) {
            return Verdict.clean(medians + ": models read more tokens");
        }
        int seen = Runs.seen(analysis, growth.late()).size();
        boolean starved = false;
        if (seen < LEAST_SEEN) {
            finding.advice("What grows shows in a longer recording: of the late ones, stack samples saw " + seen + ".");
        } else {
            starved = explain(finding, analysis, runs, growth);
        }
        if (inPasses && tokens < SAME_TOKENS && !starved) {
            finding.severity(Severity.INFO).advice("growing-steps.context", analysis);
        }
        memory(finding, analysis, growth);
        for (int part = 0; part < Growth.PARTS; part++) {
            finding.quantity("median of part " + (part + 1) + " of " + Growth.PARTS, growth.medianNs(part), "ns");
        }
        return Verdict.found(finding);
    }

    /** Returns whether passes that read tokens have most of the growth. */
    private static boolean growsInPasses(Analysis analysis, Runs runs, Growth growth) {
        double earlyNs = runs.inPassesNs(analysis, growth.early());
        double moreNs = runs.inPassesNs(analysis, growth.late()) - earlyNs;
        return earlyNs > 0 && moreNs >= IN_PASSES * (Runs.meanNs(growth.late()) - Runs.meanNs(growth.early()));
    }

    private static double meanRatio(Growth growth) {
        return Runs.meanNs(growth.late()) / Runs.meanNs(growth.early());
    }

    private FindingBuilder finding(Ledger ledger, long costNs, Runs runs, Growth growth) {
        return finding(ledger, costNs)
                .measure("what", Units.capitalised(runs.what()))
                .measure("first", Units.duration(growth.medianNs(0)))
                .measure("last", Units.duration(growth.medianNs(Growth.PARTS - 1)))
                .measure("of all", Units.percent((double) growth.costNs() / runs.totalNs()))
                .noGain("whether they could stay as short as the first is not recorded");
    }

    /** Adds the memory that the process took from the early to the late ones, if it grew. */
    private static void memory(FindingBuilder finding, Analysis analysis, Growth growth) {
        Run first = growth.early().get(0);
        Run last = growth.late().get(growth.late().size() - 1);
        int process = analysis.timeline().tracks().get(last.thread()).parent();
        for (Series series : analysis.counters().named(MEMORY)) {
            Series during = series.between(first.startNs(), last.endNs());
            if (series.process() == process
                    && during.size() > 1
                    && during.last() - during.first() >= MEMORY_GROWS * during.last()) {
                finding.quantity("memory of the process, grown meanwhile", during.last() - during.first(), "bytes");
            }
        }
    }

    /** Adds what the late ones spend their longer time on; returns whether that is waiting for a CPU. */
    private static boolean explain(FindingBuilder finding, Analysis analysis, Runs runs, Growth growth) {
        LongerRuns longer = LongerRuns.later(analysis, growth.late(), growth.early());
        finding.claim(ID, "growing-steps.longer", longer.tell(finding)).causes(List.of(longer.most()));
        longer.places(finding, ", more in the late ones");
        double more = atOnce(growth.late()) / atOnce(growth.early());
        String advice = Advice.against(longer.most(), analysis);
        if (longer.most() == LedgerClass.WAIT_RUN_QUEUE) {
            finding.severity(Severity.INFO)
                    .advice("The late ones do what the first did, and got less of the CPUs. " + advice)
                    .noGainByItself("cpu-contention reports the lack of a CPU");
            return true;
        }
        if (runs.areRequests() && more - 1 >= MORE_AT_ONCE * (meanRatio(growth) - 1)) {
            finding.severity(Severity.INFO);
            finding.quantity("at once, early", atOnce(growth.early()), "count");
            finding.quantity("at once, late", atOnce(growth.late()), "count");
            finding.advice("More of them come at once, and wait for each other. " + advice);
        } else if (longer.most().isWaiting() && !longer.isOnePlace()) {
            finding.advice("They wait ever longer: see what they wait for. " + advice);
        } else {
            // A pass that is cheaper, or launches less, still grows.
            boolean ofModel = longer.most() == LedgerClass.CPU_MODEL_COMPUTE
                    || longer.most().rollup() == LedgerClass.Rollup.FRAMEWORK_OVERHEAD;
            finding.advice(Advice.of("growing-steps.grows", analysis) + " " + (ofModel ? "" : advice));
        }
        return false;
    }

    /** Returns how many requests there are at once, on average. */
    private static double atOnce(List<Run> runs) {
        long startNs = runs.get(0).startNs();
        long endNs = runs.stream().mapToLong(Run::endNs).max().orElse(startNs);
        return (double) runs.stream().mapToLong(Run::ns).sum() / Math.max(1, endNs - startNs);
    }
}

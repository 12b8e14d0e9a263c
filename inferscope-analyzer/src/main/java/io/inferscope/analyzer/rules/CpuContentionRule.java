package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.CpuUse;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Timeline;
import java.util.List;

/** Reports a critical thread that gets no CPU. Basis and threshold: docs/rules/cpu-contention.md. */
final class CpuContentionRule extends Rule {
    /** What a limit took away counts from this part of what the judged threads used. */
    private static final double LIMITED = 0.1;

    @Override
    public Verdict evaluate(Analysis analysis) {
        List<ThreadFigures> sampled = Tables.of(analysis).rows(Report.THREADS).stream()
                .filter(t -> t.runnableNs() != null)
                .toList();
        if (sampled.isEmpty()) {
            return new Verdict.NotApplicable("thread states are not recorded");
        }
        Ledger ledger = HostShare.judged(analysis);
        long costNs = ledger.ns(LedgerClass.WAIT_RUN_QUEUE);
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("waiting for a CPU takes " + ledger.shareOfPart(costNs));
        }
        CpuUse use = CpuUse.of(analysis);
        FindingBuilder finding = finding(ledger, costNs)
                .measure("users", Double.isNaN(use.others()) ? "" : " CPUs in use, on average: " + use.words() + ".");
        long ownNs = sampled.stream().mapToLong(ThreadFigures::recordedCpuNs).sum()
                - analysis.threads().onCpuNs(analysis.subjectThread())
                + Math.round(ChildProcessRule.unseenNs(analysis));
        // Threads that wait for one CPU at the same time wait for the same work.
        int waiting =
                analysis.service().map(service -> service.serving().size()).orElse(1);
        boolean crowdedByItself =
                Double.isNaN(use.others()) ? 2 * ownNs >= costNs / waiting : !use.isOthers() && ownNs > 0;
        threads(finding, analysis);
        if (crowdedByItself) {
            WaitRule.holders(finding, analysis, LedgerClass.WAIT_RUN_QUEUE);
        }
        if (analysis.devices().isEmpty()) {
            HostShare.timePlaces(finding, analysis, List.of(LedgerClass.WAIT_RUN_QUEUE));
        }
        if (!crowdedByItself) { // Its own threads had a CPU meanwhile, but are not why there was none.
            WaitRule.holders(finding, analysis, LedgerClass.WAIT_RUN_QUEUE);
        }
        return Verdict.found(finding.quantity("CPU time of the program's other threads and processes", ownNs, "ns")
                .advice(advice(analysis, use, crowdedByItself))
                .saves(analysis, List.of(LedgerClass.WAIT_RUN_QUEUE), "a CPU is always free"));
    }

    /** Returns advice that fits who used the CPUs: a program of one thread has no pool to make smaller. */
    private static String advice(Analysis analysis, CpuUse use, boolean crowdedByItself) {
        return use.limit() >= LIMITED * use.thread()
                ? Advice.of("cpu-contention.limit", analysis)
                : !crowdedByItself
                        ? Advice.of("cpu-contention.others", analysis)
                        : use.processes() > use.threads()
                                ? Advice.of("cpu-contention.processes", analysis)
                                : Advice.against(LedgerClass.WAIT_RUN_QUEUE, analysis);
    }

    /**
     * Adds the threads whose waits count: the judged thread and those that it waited for. Other threads' waits for a
     * CPU cost nothing here.
     */
    private static void threads(FindingBuilder finding, Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Tables.of(analysis).judgedTime().threads(LedgerClass.WAIT_RUN_QUEUE).stream()
                .limit(3)
                .forEach(share -> {
                    boolean judged = analysis.isJudged(share.track());
                    long onCpuNs = share.tracks().stream()
                            .mapToLong(analysis.threads()::onCpuNs)
                            .sum();
                    String alike = Threads.crowd(share.tracks().size());
                    finding.place(
                            (judged ? "ready but without a CPU" : "waited for, and ready but without a CPU")
                                    + "; it ran for " + Units.duration(onCpuNs),
                            alike + Threads.withProcess(timeline, share.track()),
                            share.ns(),
                            1);
                });
    }
}

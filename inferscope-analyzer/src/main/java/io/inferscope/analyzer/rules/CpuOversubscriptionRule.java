package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.CpuDemand;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Optional;

/** Reports a process with more working threads than CPUs. */
final class CpuOversubscriptionRule extends Rule {
    private static final Threshold RATIO = Threshold.of("cpu-oversubscription.ratio");
    private static final Threshold SHARE = Threshold.of("cpu-oversubscription.share");

    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<CpuDemand> found = CpuDemand.of(analysis, analysis.threshold(RATIO));
        if (found.isEmpty()) {
            return new Verdict.NotApplicable("thread states or the number of CPUs are not recorded");
        }
        CpuDemand demand = found.get();
        Ledger ledger = HostShare.window(analysis);
        String cpus = number(demand.cpus());
        if (!costs(analysis, demand)) {
            return Verdict.clean("more threads of the process than its " + cpus + " CPUs cost its judged thread "
                    + Units.percent(ledger.share(demand.lostNs())) + " of the window");
        }
        return Verdict.found(
                finding(ledger, demand.lostNs())
                        .measure("threads", Integer.toString(demand.threads()))
                        .measure("ready", number(demand.ready()))
                        .measure("cpus", cpus)
                        .measure("setting", Integer.toString((int) Math.max(1, Math.floor(demand.cpus()))))
                        .measure("crowded", Units.duration(demand.crowdedNs()))
                        .quantity("threads ready at once, on average", demand.ready(), "count")
                        .quantity("CPUs that the process can use", demand.cpus(), "count")
                        .quantity("time with too many", demand.crowdedNs(), "ns")
                        .advice(
                                demand.nativeThreads() ? "cpu-oversubscription.native" : "cpu-oversubscription.own",
                                analysis)
                        .causes(List.of(LedgerClass.WAIT_RUN_QUEUE))
                        .noGain(
                                "fewer threads do the same work on the same CPUs: no recording shows how much time sharing them costs"));
    }

    /** Returns the CPU demand of a process with too many threads, by the limits of this rule; otherwise empty. */
    static Optional<CpuDemand> crowd(Analysis analysis) {
        return CpuDemand.of(analysis, analysis.threshold(RATIO)).filter(demand -> costs(analysis, demand));
    }

    private static boolean costs(Analysis analysis, CpuDemand demand) {
        return HostShare.window(analysis).share(demand.lostNs()) >= analysis.threshold(SHARE);
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString(Math.round(value)) : Units.fixed(value, 1);
    }
}

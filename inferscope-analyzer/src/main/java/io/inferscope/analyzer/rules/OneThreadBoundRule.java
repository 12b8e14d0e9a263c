package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Utilisation;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;

/** Reports an idle GPU behind one thread that never pauses. */
final class OneThreadBoundRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Utilisation gpu = Utilisation.of(analysis);
        int thread = analysis.subjectThread();
        if (analysis.threads().onCpuNs(thread) == 0) {
            return new Verdict.NotApplicable("how long the launching thread was on a CPU is not recorded");
        }
        if (gpu.buckets() < analysis.threshold(UtilisationRule.BUCKETS)) {
            return new Verdict.NotApplicable(
                    "the " + analysis.ledger().partName() + " is too short to be cut into pieces");
        }
        long bound = 0;
        double idleNs = 0;
        for (int i = 0; i < gpu.buckets(); i++) {
            Stretch bucket = gpu.bucket(i);
            double onCpu =
                    (double) analysis.threads().onCpuNs(thread, bucket.startNs(), bucket.endNs()) / bucket.durationNs();
            if (gpu.busyRatio(i) < limit(analysis, "gpu") && onCpu >= limit(analysis, "cpu")) {
                bound++;
                idleNs += (1 - gpu.busyRatio(i)) * bucket.durationNs();
            }
        }
        double share = (double) bound / gpu.buckets();
        if (share <= limit(analysis, "share")) {
            return Verdict.clean("the GPU idles behind a thread that never pauses for " + Units.percent(share)
                    + " of the " + analysis.ledger().partName());
        }
        String label = Threads.withProcess(analysis.timeline(), thread);
        return Verdict.found(
                finding(analysis.ledger(), Math.round(idleNs))
                        .measure("pieces", Units.percent(share))
                        .measure("thread", label)
                        .judgedPlaces(analysis, 3, b -> true)
                        .evidence(new Evidence.Place(
                                "CPU time", label, analysis.threads().onCpuNs(thread), 1))
                        .advice(analysis)
                        .noGainByItself(
                                "how much time remains after spreading the work is not known; other findings say what the thread does"));
    }
}

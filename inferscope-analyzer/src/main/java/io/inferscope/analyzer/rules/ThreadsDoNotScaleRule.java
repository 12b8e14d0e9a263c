package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.ThreadScaling;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import java.util.List;
import java.util.Optional;

/** Reports a thread pool that the model leaves idle. */
final class ThreadsDoNotScaleRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Optional<ThreadScaling> found = ThreadScaling.of(analysis);
        if (found.isEmpty()) {
            return new Verdict.NotApplicable("no thread pool was seen at work for a model on the CPU");
        }
        ThreadScaling scaling = found.get();
        Ledger ledger = HostShare.window(analysis);
        boolean little = ledger.share(scaling.modelNs()) < limit(analysis, "share");
        if (little || scaling.width() < 2 || scaling.busyRatio() >= limit(analysis, "busy")) {
            return Verdict.clean(scaling.threads() + " threads keep " + Units.fixed(scaling.busyCpus(), 1)
                    + " CPUs busy in the " + Units.percent(ledger.share(scaling.modelNs()))
                    + " of the window in which the model computes");
        }
        long costNs = Math.round(scaling.modelNs() * (1 - scaling.busyRatio()));
        FindingBuilder finding = finding(ledger, costNs)
                .measure("threads", Integer.toString(scaling.threads()))
                .measure("busy", Units.fixed(scaling.busyCpus(), 1))
                .measure("width", Units.fixed(scaling.width(), 0))
                .measure("model", Units.duration(scaling.modelNs()))
                .measure("setting", Long.toString(Math.max(1, Math.round(scaling.busyCpus()))))
                .quantity("CPUs kept busy, on average", scaling.busyCpus(), "count")
                .quantity("threads that compute", scaling.threads(), "count");
        HostShare.places(finding, analysis, List.of(LedgerClass.CPU_MODEL_COMPUTE));
        return Verdict.found(HostShare.operators(finding, analysis).advice(analysis));
    }
}

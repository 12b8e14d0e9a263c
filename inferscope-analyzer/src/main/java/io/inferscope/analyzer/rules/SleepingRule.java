package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Track;
import java.util.List;

/** Reports time slept on purpose, such as in a polling loop. */
final class SleepingRule extends WaitRule {
    static final String ID = "sleeping";
    static final Threshold SHARE = Threshold.of(ID + ".share");

    /**
     * If other threads of the process work for a larger part of the sleep, the thread may be polling for their result.
     */
    private static final double WORKED_MEANWHILE = 0.5;

    /** A smaller part of the time, in which nobody works either, is no finding. */
    private static final double LEAST_REST = 0.02;

    SleepingRule() {
        super(ID, LedgerClass.WAIT_TIMER);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Verdict verdict = super.evaluate(analysis);
        if (!(verdict instanceof Verdict.Found)) {
            return verdict;
        }
        if (ExhaustedPoolRule.isFedBy(analysis, analysis.subjectThread())) {
            return Verdict.clean("the thread feeds a pool that cannot keep up: its sleep holds nothing up");
        }
        Ledger ledger = ledger(analysis);
        long sleptNs = ledger.ns(LedgerClass.WAIT_TIMER);
        long workedNs = Math.min(sleptNs, workedMeanwhileNs(analysis));
        return workedNs > WORKED_MEANWHILE * sleptNs ? polls(analysis, ledger, sleptNs, workedNs) : verdict;
    }

    @Override
    void more(FindingBuilder finding, Analysis analysis) {
        if (isInLoop(analysis)) {
            finding.claim("sleeping.loop");
        } else if (isAwaited(analysis)) {
            finding.claim("sleeping.awaited");
        }
    }

    @Override
    String advice(LedgerClass most, Analysis analysis) {
        return isInLoop(analysis) ? Advice.of("waiting-for-requests.timer", analysis) : super.advice(most, analysis);
    }

    /** Returns whether most of the sleep is that of other threads that the judged one waits for. */
    private static boolean isAwaited(Analysis analysis) {
        return Tables.of(analysis).rows(HostTables.HOST_TIME).stream()
                        .filter(place -> place.cause() == LedgerClass.WAIT_TIMER)
                        .mapToLong(place -> place.followed() ? place.ns() : -place.ns())
                        .sum()
                > 0;
    }

    /** Returns whether most of the sleep is an event loop's, and no record says what its tasks await. */
    private static boolean isInLoop(Analysis analysis) {
        long[] ns = {0, 0};
        Stretch part = analysis.judgedHostStretch();
        ActivityClassifier classifier = analysis.classifier();
        analysis.threads().activity(analysis.subjectThread()).cover(part.startNs(), part.endNs(), piece -> {
            if (piece.ledgerClass() == LedgerClass.WAIT_TIMER) {
                boolean inLoop = classifier.isOfLoop(piece) && !classifier.isLoopsWait(piece.row());
                ns[inLoop ? 1 : 0] += piece.ns();
            }
        });
        return ns[1] > ns[0];
    }

    private Verdict polls(Analysis analysis, Ledger ledger, long sleptNs, long workedNs) {
        long restNs = sleptNs - workedNs;
        if (ledger.share(restNs) < LEAST_REST) {
            return Verdict.clean(
                    "other threads of the process work, or wait for a CPU, nearly all the time that it sleeps");
        }
        FindingBuilder finding = finding(ledger, restNs)
                .measure("slept", Units.duration(sleptNs))
                .measure("worked", Units.duration(workedNs))
                .claim("sleeping.polls");
        HostShare.places(finding, analysis, List.of(LedgerClass.WAIT_TIMER));
        return Verdict.found(finding.causes(List.of(LedgerClass.WAIT_TIMER))
                .advice("sleeping.polls", analysis)
                .savesAtMost(restNs, "the thread goes on as soon as they have worked"));
    }

    /**
     * Returns for how long, at most, any other thread of the process was on a CPU or ready for one while the judged
     * thread slept, in ns: of each sleep, the sum over threads or the whole sleep.
     */
    private static long workedMeanwhileNs(Analysis analysis) {
        Threads threads = analysis.threads();
        int subject = analysis.subjectThread();
        int process = analysis.timeline().tracks().get(subject).parent();
        List<ThreadActivity> others = threads.all().stream()
                .filter(track -> track.parent() == process && track.id() != subject)
                .map(Track::id)
                .filter(track -> !Threads.isRecorders(analysis.timeline(), track))
                .map(threads::activity)
                .toList();
        Stretch part = analysis.judgesSteadyState() ? analysis.judged().stretch() : analysis.window();
        double[] workedNs = {0};
        threads.activity(subject).cover(part.startNs(), part.endNs(), piece -> {
            if (piece.ledgerClass() == LedgerClass.WAIT_TIMER) {
                double slept = (double) piece.ns() / (piece.toNs() - piece.fromNs());
                long workNs = others.stream()
                        .mapToLong(other -> other.onCpuNs(piece.fromNs(), piece.toNs())
                                + other.runnableNs(piece.fromNs(), piece.toNs()))
                        .sum();
                workedNs[0] += Math.min((double) piece.ns(), slept * workNs);
            }
        });
        return Math.round(workedNs[0]);
    }
}

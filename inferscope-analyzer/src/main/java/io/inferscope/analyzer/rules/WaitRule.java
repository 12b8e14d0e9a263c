package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.HolderEvidence;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.HolderFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The rules about one kind of wait: its share of the window, the waiting lines, and the threads that held the awaited
 * lock or CPU.
 */
class WaitRule extends Rule {
    static final Rule GIL = new WaitRule("gil-contention", LedgerClass.WAIT_GIL);

    static final Rule LOCK = new WaitRule("lock-contention", LedgerClass.WAIT_LOCK);

    static final Rule FILE_IO = new WaitRule("file-io", LedgerClass.WAIT_IO, LedgerClass.SYSTEM_FILE);

    static final Rule PAGE_FAULTS =
            new WaitRule("page-faults", LedgerClass.WAIT_PAGE_FAULT, LedgerClass.SYSTEM_PAGE_FAULT);

    static final Rule GARBAGE_COLLECTION = new WaitRule("garbage-collection", LedgerClass.WAIT_GC);

    private static final int MOST_PLACES = 3;

    /** A line that ran during less of the waits does not explain them. */
    private static final double LEAST_PART = 0.05;

    private final LedgerClass waits;

    /** The reported classes: the wait and the CPU work of the same kind. */
    private final List<LedgerClass> classes;

    WaitRule(String id, LedgerClass waits, LedgerClass... work) {
        super(id);
        this.classes = Stream.concat(Stream.of(waits), Arrays.stream(work)).toList();
        this.waits = waits;
    }

    /** Returns the judged ledger. */
    Ledger ledger(Analysis analysis) {
        return HostShare.judged(analysis);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger ledger = ledger(analysis);
        long costNs = HostShare.ns(ledger, classes);
        if (costNs == 0) {
            return Verdict.clean("no time of that sort is recorded in the window");
        }
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(waits.label() + " takes " + ledger.shareOfPart(costNs));
        }
        FindingBuilder finding = finding(ledger, costNs);
        boolean isNative = RecordingProperty.NATIVE.holds(analysis);
        if (isNative) {
            HostShare.places(finding, analysis, classes);
        }
        holders(finding, analysis, waits);
        more(finding, analysis);
        if (!isNative) {
            HostShare.places(finding, analysis, classes);
        }
        LedgerClass most = classes.stream().max(Order.comparingLong(ledger::ns)).orElse(waits);
        return Verdict.found(
                finding.advice(advice(most, analysis)).saves(analysis, classes, "none of it is waited for"));
    }

    /** Returns the advice against the class with most of the time. */
    String advice(LedgerClass most, Analysis analysis) {
        return Advice.against(most, analysis);
    }

    /** Adds what only one of the rules says. */
    void more(FindingBuilder finding, Analysis analysis) {
        if (waits != LedgerClass.WAIT_GC) {
            return;
        }
        Timeline timeline = analysis.timeline();
        Steps steps = Steps.judged(analysis);
        long with = Arrays.stream(analysis.rows(RowKind.GC))
                .filter(row -> analysis.isJudged(timeline.track(row)))
                .map(row -> steps.at(timeline.startNs(row)))
                .filter(step -> step >= 0)
                .distinct()
                .count();
        boolean some = with > 0 && with < steps.size();
        finding.measure(
                "in steps", some ? ", in " + Units.count(with) + " of " + Units.count(steps.size()) + " steps" : "");
        if (some) {
            finding.quantity("steps with a collection", with, "count");
        }
    }

    /**
     * Adds the lines that other threads ran during a good part of the host thread's waits. Samples of a native program
     * show what a holder did around that time, and not what it did with the lock.
     */
    static void holders(FindingBuilder finding, Analysis analysis, LedgerClass waits) {
        double leastNs = LEAST_PART * HostShare.judged(analysis).ns(waits);
        List<HolderFigures> holders = Tables.of(analysis).rows(HostTables.WAITED_FOR).stream()
                .filter(h -> h.cause() == waits && h.ns() >= leastNs)
                .limit(MOST_PLACES)
                .toList();
        for (HolderFigures holder : holders) {
            boolean recorded = holder.known() == HolderEvidence.RECORDED;
            boolean isNative = RecordingProperty.NATIVE.holds(analysis);
            String thread = holder.where().isEmpty() ? "" : " by `" + holder.thread() + "`";
            String label = recorded && isNative
                    ? "held" + thread + ", at work meanwhile"
                    : (recorded ? "held meanwhile" : HolderEvidence.AT_WORK_MEANWHILE.id()) + thread;
            finding.place(label, holder.where().isEmpty() ? holder.thread() : holder.where(), holder.ns(), 1);
        }
    }
}

package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.FigureTables;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.PathTables.ClassTime;
import io.inferscope.analyzer.model.PathTables.WorkTime;
import io.inferscope.analyzer.model.TableNotes.PathSize;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.path.WhatIf;
import io.inferscope.analyzer.rules.Advice.Figure;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.trust.MissingTime;
import java.util.List;
import java.util.Set;

/** Reports a cause that holds most of the critical path and leads clearly. */
final class CriticalPathRule extends Rule {
    private static final int PLACES = 3;

    @Override
    public Verdict evaluate(Analysis analysis) {
        if (analysis.service().isPresent()) {
            return new Verdict.NotApplicable("a service answers several requests at once: no chain ends its window");
        }
        Ledger judged = HostShare.judged(analysis);
        boolean idles = 2 * judged.ns(LedgerClass.WAIT_IDLE) >= judged.durationNs();
        if (idles) {
            return new Verdict.NotApplicable("the program mostly has nothing to do");
        }
        if (analysis.servesUnknownRequests()) {
            return new Verdict.NotApplicable("the program serves clients: when they ask ends its window");
        }
        if (!MissingTime.of(analysis).isSmall()) {
            return new Verdict.NotApplicable("operations are missing, and with them links of the path");
        }
        FigureTables path = Tables.of(analysis).path();
        PathSize size = path.notesOnTables().path();
        if (size == null) {
            return new Verdict.NotApplicable(
                    "the recording does not say when things happened, so it has no critical path");
        }
        List<ClassTime> classes = path.rows(PathTables.CLASSES);
        ClassTime first = classes.get(0);
        LedgerClass cause = first.ledgerClass();
        if (cause == LedgerClass.WAIT_IDLE) {
            return Verdict.clean("for most of the path, the program has nothing to do");
        }
        long nextNs = classes.size() > 1 ? classes.get(1).ns() : 0;
        double share = (double) first.ns() / size.pathNs();
        String words = cause.label() + " takes " + Units.percent(share) + " of the critical path";
        if (cause == LedgerClass.GPU_COMPUTE || cause == LedgerClass.CPU_MODEL_COMPUTE) {
            return Verdict.clean(words + ": the model itself");
        }
        if (cause == LedgerClass.UNATTRIBUTED) {
            return Verdict.clean(words + ": no recorded event explains it");
        }
        if (share < limit(analysis, "share")
                || first.ns() - nextNs < limit(analysis, "lead-share") * size.pathNs()
                || first.ns() < limit(analysis, "least-ns")) {
            return Verdict.clean("no cause leads on the critical path: " + words);
        }
        long savedNs =
                WhatIf.of(analysis).without(Set.of(cause), analysis.window()).allNs();
        if (savedNs < limit(analysis, "saved-share") * size.pathNs()) {
            return Verdict.clean(words + ", but without it another chain would be nearly as long: "
                    + Units.duration(savedNs) + " less");
        }
        return Verdict.found(finding(analysis, path, (double) nextNs / size.pathNs(), first, savedNs));
    }

    /**
     * Makes a note, because the findings by cause already count this time: it only states that this cause dominates the
     * critical path.
     */
    private FindingBuilder finding(
            Analysis analysis, FigureTables path, double nextShare, ClassTime first, long savedNs) {
        LedgerClass cause = first.ledgerClass();
        Ledger window = analysis.ledger(LedgerPart.WINDOW).orElse(analysis.ledger());
        FindingBuilder finding = finding(window, first.ns())
                .severity(Severity.INFO)
                .causes(List.of(cause))
                .measure("cause", cause.label())
                .measure("saved", Units.duration(savedNs))
                .measure("next", Units.percent(nextShare));
        path.rows(PathTables.WORK).stream()
                .filter(work -> work.cause() == cause)
                .limit(PLACES)
                .forEach(work -> finding.evidence(place(work)));
        path.rows(PathTables.PIECES).stream()
                .filter(piece -> piece.cause() == cause)
                .findFirst()
                .ifPresent(piece -> {
                    finding.evidence(new Evidence.Range(
                            "longest piece of it", piece.startNs(), piece.endNs(), piece.track(), piece.where()));
                    boolean once = analysis.judgesSteadyState()
                            && piece.startNs() < analysis.judged().stretch().startNs()
                            && 2 * (piece.endNs() - piece.startNs()) > first.ns();
                    finding.figure(Figure.CALL_NS, (double) (piece.endNs() - piece.startNs()))
                            .figure(Figure.ONE_OFF, once ? 1 : 0);
                });
        return finding.adviceAgainst(cause, analysis)
                .noGain("the findings about this cause say what removing it saves");
    }

    private static Evidence place(WorkTime work) {
        String where = PlaceEvidence.place(work.where(), work.activity());
        return new Evidence.Place("on the path", where.isEmpty() ? work.track() : where, work.ns(), work.pieces());
    }
}

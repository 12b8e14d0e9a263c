package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.launch.EmptiedQueue;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.OperatorFigures;
import io.inferscope.analyzer.model.Report.SampleFigures;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.tables.ThreadTime;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import java.util.List;

/** Helper of the rules about host classes: the ledger of the window, and where the time of a class is. */
final class HostShare {
    private static final int MOST_OPERATORS = 3;
    private static final int MOST_FUNCTIONS = 3;

    private HostShare() {}

    /** Returns the ledger of the whole window of the judged subject: host work is often outside the span. */
    static Ledger window(Analysis analysis) {
        return analysis.ledger(LedgerPart.WINDOW).orElse(analysis.ledger());
    }

    /**
     * Returns the ledger that rules about the host judge: of the steady state where there is one, else of the window.
     */
    static Ledger judged(Analysis analysis) {
        return analysis.judgesSteadyState() ? analysis.ledger() : window(analysis);
    }

    /**
     * Returns the ledger in wall time: for a service, that of the handler's thread instead of all serving threads
     * together.
     */
    static Ledger wall(Analysis analysis) {
        return analysis.service().isPresent() ? analysis.threadLedger().orElse(analysis.ledger()) : judged(analysis);
    }

    /**
     * Returns the time of classes of which they are the cause: without that in which the device idles because the host
     * emptied its queue before.
     */
    static long ownNs(Analysis analysis, Ledger ledger, List<LedgerClass> classes) {
        return ns(ledger, classes)
                - (analysis.devices().isEmpty() ? 0 : EmptiedQueue.of(analysis).needlessNs(classes));
    }

    static long ns(Ledger ledger, List<LedgerClass> classes) {
        return classes.stream().mapToLong(ledger::ns).sum();
    }

    /**
     * Adds the places in the part that the finding is about: from idle blame with devices, from scopes and stack samples
     * without; where there are none, the thread itself.
     */
    static FindingBuilder places(FindingBuilder finding, Analysis analysis, List<LedgerClass> classes) {
        if (!analysis.devices().isEmpty()) {
            return blamed(finding, analysis, classes);
        }
        if (timePlaces(finding, analysis, classes)) {
            return finding;
        }
        boolean staged = classes.contains(LedgerClass.FRAMEWORK_COMPILE_LOAD) && compileStages(finding, analysis);
        boolean scoped = !staged && scopes(finding, analysis, classes);
        boolean sampled = sampledLines(finding, analysis, classes);
        if (!staged && !scoped && !sampled) {
            Ledger ledger = window(analysis);
            ledger.entries().stream()
                    .filter(e -> classes.contains(e.ledgerClass()))
                    .forEach(e -> finding.quantity(
                            e.ledgerClass().label() + (e.ledgerClass().isWaiting() ? ", " : " of ") + ledger.subject(),
                            e.ns(),
                            "ns"));
        }
        return finding;
    }

    /** Adds the places of idle time with these causes, in the part that {@link #judged} is about. */
    static FindingBuilder blamed(FindingBuilder finding, Analysis analysis, List<LedgerClass> classes) {
        return analysis.judgesSteadyState()
                ? finding.judgedPlaces(analysis, 4, b -> classes.contains(b.cause()))
                : finding.places(analysis, 4, b -> classes.contains(b.cause()));
    }

    /** Adds the ranges with time of these classes, by their own time; returns whether there are any. */
    static boolean scopes(FindingBuilder finding, Analysis analysis, List<LedgerClass> classes) {
        List<ScopeFigures> scopes = Tables.of(analysis).scopes(finding.part()).stream()
                .filter(s -> classes.contains(s.ledgerClass()) && s.selfNs() > 0)
                .sorted(Order.comparingLong(ScopeFigures::selfNs).reversed())
                .limit(4)
                .toList();
        for (ScopeFigures scope : scopes) {
            String place = scope.where().isEmpty() ? scope.name() : scope.where() + " > " + scope.name();
            finding.place(scope.ledgerClass().label() + ", wall time", place, scope.selfNs(), scope.count());
        }
        return !scopes.isEmpty();
    }

    /**
     * Adds the functions, on any thread, that took the host thread's time of these classes; returns whether there are
     * any.
     */
    static boolean timePlaces(FindingBuilder finding, Analysis analysis, List<LedgerClass> classes) {
        if (Tables.of(analysis).rows(HostTables.HOST_TIME).isEmpty()) {
            return false;
        }
        List<ThreadTime.Function> functions =
                Tables.of(analysis).time(finding.part()).functions(p -> classes.contains(p.cause()));
        if (!analysis.has(RowKind.STACK_SAMPLE) && !analysis.has(RowKind.HAND_OVER)) {
            long placedNs =
                    functions.stream().mapToLong(ThreadTime.Function::ns).sum();
            if (2 * placedNs < finding.ns(classes)) {
                return false; // Most of the time is in ranges that no measured function surrounds.
            }
        }
        for (ThreadTime.Function function : functions.subList(0, Math.min(4, functions.size()))) {
            String whose = function.followed() ? ", in " + function.thread() : "";
            finding.place(function.label() + whose, function.hottest(), function.ns(), 1);
        }
        return !functions.isEmpty();
    }

    /**
     * Adds the operators with most computing time of their own, in a program whose model computes on the CPU; none
     * where operators are not recorded.
     */
    static FindingBuilder operators(FindingBuilder finding, Analysis analysis) {
        Tables.of(analysis).operators(finding.part()).stream()
                .filter(operator -> operator.selfNs() > 0 && !NameRole.COMPILE_STAGE.in(operator.name()))
                .sorted(Order.comparingLong(OperatorFigures::selfNs).reversed())
                .limit(MOST_OPERATORS)
                .forEach(operator -> finding.place(
                        operator.inputDims().isEmpty() ? "operator" : "operator, mostly on " + operator.inputDims(),
                        operator.name(),
                        operator.selfNs(),
                        operator.count()));
        return finding;
    }

    /** Adds the stages of torch.compile with most time of their own; returns whether there are any. */
    private static boolean compileStages(FindingBuilder finding, Analysis analysis) {
        List<OperatorFigures> stages = Tables.of(analysis).operators(finding.part()).stream()
                .filter(operator -> operator.selfNs() > 0 && NameRole.COMPILE_STAGE.in(operator.name()))
                .sorted(Order.comparingLong(OperatorFigures::selfNs).reversed())
                .limit(MOST_OPERATORS)
                .toList();
        stages.forEach(stage ->
                finding.place(FindingBuilder.text("compile-stage"), stage.name(), stage.selfNs(), stage.count()));
        return !stages.isEmpty();
    }

    /**
     * Adds the native functions in which stack samples saw the host thread most: {@code
     * function [library]}.
     */
    static void nativeFunctions(FindingBuilder finding, Analysis analysis, List<LedgerClass> classes) {
        Tables.of(analysis).sampledOfSubject(finding.part()).functions().stream()
                .filter(f -> classes.contains(f.ledgerClass()) && f.place().endsWith("]"))
                .limit(MOST_FUNCTIONS)
                .forEach(f -> finding.place("sampled in", f.place(), f.selfNs(), 1));
    }

    /** Adds the lines in which stack samples saw the host thread in these classes; returns whether there are any. */
    static boolean sampledLines(FindingBuilder finding, Analysis analysis, List<LedgerClass> classes) {
        List<SampleFigures> lines = Tables.of(analysis).sampledOfSubject(finding.part()).lines().stream()
                .filter(l -> classes.contains(l.ledgerClass()))
                .limit(4)
                .toList();
        for (SampleFigures line : lines) {
            finding.place(
                    line.ledgerClass().label() + ", sampled, ± " + Units.duration(line.boundNs()),
                    line.place(),
                    line.selfNs(),
                    line.samples());
        }
        return !lines.isEmpty();
    }
}

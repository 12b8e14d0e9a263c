package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.launch.BlockingLaunches;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.trust.MissingTime;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Advice: the flag or call to change. What is said on a topic are the rows of {@code knowledge/advice.tsv} that fit the
 * recorded program and the finding. A topic is a rule's id or the name of a class of time, perhaps with a case after a dot.
 */
public final class Advice {
    /** A launch takes some microseconds. */
    static final Threshold LOADS_CODE = Threshold.of("slow-launch-calls.code-ns");

    /** A number of a finding that its advice depends on. */
    enum Figure {
        /** Mean length of the finding's calls, in ns. */
        CALL_NS,
        /** Mean size of the finding's copies. */
        COPY_BYTES,
        /** The part of the finding's cost that is copies. */
        COPIED_RATIO,
        /** The part of the finding's cost that is on a stream which also computes. */
        SERIAL_RATIO,
        /** The part of communication that adds up what the next layer needs, so that nothing hides it. */
        AWAITED_RATIO,
        /** The part of the finding's cost that follows waits which emptied the device's queue. */
        DRAINED_RATIO,
        /** 1 for what happens outside the steps, once. */
        ONE_OFF
    }

    /** A row of the table; its conditions are divided by blanks. */
    record Row(String topic, String conditions, String text) {
        static final List<Row> ALL =
                KnowledgeTable.read(Knowledge.class, "advice.tsv", cells -> new Row(cells[0], cells[1], cells[2]));

        boolean isForAll() {
            return conditions.equals("-");
        }

        private boolean fits(Predicate<RecordingProperty> facts, Map<Figure, Double> figures) {
            if (!isForAll()) {
                for (String condition : conditions.split(" ", -1)) {
                    if (!holds(condition, facts, figures)) {
                        return false;
                    }
                }
            }
            return true;
        }

        /** A finding without a figure is below its limit. */
        private static boolean holds(
                String condition, Predicate<RecordingProperty> facts, Map<Figure, Double> figures) {
            int limit = Math.max(condition.indexOf(">="), condition.indexOf('<'));
            if (limit < 0) {
                return condition.charAt(0) == '!'
                        ? !facts.test(RecordingProperty.valueOf(condition.substring(1)))
                        : facts.test(RecordingProperty.valueOf(condition));
            }
            boolean least = condition.charAt(limit) == '>';
            double value =
                    figures.getOrDefault(Figure.valueOf(condition.substring(0, limit)), Double.NEGATIVE_INFINITY);
            return least == value >= Double.parseDouble(condition.substring(limit + (least ? 2 : 1)));
        }
    }

    private Advice() {}

    /** Returns the rows on a topic that fit facts of a recording and figures of a finding. */
    static String of(String topic, Predicate<RecordingProperty> facts, Map<Figure, Double> figures) {
        List<Row> rows = Row.ALL.stream().filter(row -> row.topic.equals(topic)).toList();
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("no advice on " + topic);
        }
        return rows.stream()
                .filter(row -> row.fits(facts, figures))
                .map(Row::text)
                .collect(Collectors.joining(" "));
    }

    /** Returns the rows on a topic that fit a recording. */
    static String of(String topic, Analysis analysis) {
        return of(topic, fact -> fact.holds(analysis), Map.of());
    }

    /**
     * Returns the advice against the time of a cause. It must match the recorded program; for a recording by {@code
     * inferscope run} it must not be to use that command.
     */
    static String against(LedgerClass cause, Analysis analysis) {
        return against(cause, analysis, Map.of());
    }

    /** The same for a finding with some figures. */
    static String against(LedgerClass cause, Analysis analysis, Map<Figure, Double> figures) {
        return cause == LedgerClass.UNATTRIBUTED
                ? Units.capitalised(toExplain(analysis)) + ": no evidence explains this time."
                : cause == LedgerClass.FRAMEWORK_SYNC_RETURN
                                && analysis.devices().isEmpty()
                        ? Units.capitalised(toSeeDevice(analysis)) + ". " + of(cause + ".unseen", analysis)
                        : of(topic(cause, analysis, figures), fact -> fact.holds(analysis), figures);
    }

    private static String topic(LedgerClass cause, Analysis analysis, Map<Figure, Double> figures) {
        boolean slow = cause == LedgerClass.FRAMEWORK_LAUNCH
                && figures.getOrDefault(Figure.CALL_NS, 0.0) >= analysis.threshold(LOADS_CODE);
        if (figures.getOrDefault(Figure.ONE_OFF, 0.0) == 1 && isOfSteps(cause) && !slow) {
            return "one-off";
        }
        return switch (cause) {
            case FRAMEWORK_LAUNCH ->
                mostIs(cause, activity -> activity.contains("GraphLaunch"), analysis)
                        ? "launch-bound.graphs"
                        : launchesWait(analysis)
                                ? "blocking-launches"
                                : slow || areFewAndSlow(analysis) ? "slow-launch-calls" : "launch-bound";
            case FRAMEWORK_PYTHON, FRAMEWORK_DISPATCH, FRAMEWORK_LAUNCH_LATENCY -> "launch-bound";
            case FRAMEWORK_COMPILE_LOAD ->
                mostIs(cause, ApiCalls::unloadsCode, analysis)
                        ? cause + ".unload"
                        : mostIs(cause, ApiCalls::makesContext, analysis) ? cause + ".context" : cause.name();
            case CPU_NATIVE -> // The native code that a device waits for most may be an operator of a framework.
                mostIs(cause, NameRole.ATEN::in, analysis) ? cause + ".operators" : cause.name();
            case WAIT_LOCK -> analysis.service().isPresent() ? cause + ".service" : cause.name();
            case WAIT_UNKNOWN ->
                waitsForRanks(analysis) ? cause + ".collective" : analysis.isRun() ? cause + ".run" : cause.name();
            case GPU_DEPENDENCY -> SharedDeviceRule.explainsWaits(analysis) ? SharedDeviceRule.ID : cause.name();
            default -> cause.name();
        };
    }

    /** Returns whether advice against a cause is about steps that repeat. */
    private static boolean isOfSteps(LedgerClass cause) {
        return cause.isLaunching() || cause == LedgerClass.CPU_PYTHON || cause == LedgerClass.FRAMEWORK_SYNC_RETURN;
    }

    /**
     * Returns what to record to explain more, as part of a sentence. InferScope's own recordings already have thread
     * states, so only names of activities are missing.
     */
    public static String toExplain(Analysis analysis) {
        if (!MissingTime.of(analysis).isSmall()) {
            return MissingTime.remedy(analysis);
        }
        return analysis.isRun()
                ? "name the parts of the program with `scope(\"...\")`, in Python or Java"
                : "record the host side too, with `inferscope run -- COMMAND`";
    }

    /** Returns how to record a device that the program waits for, as part of a sentence. */
    public static String toSeeDevice(Analysis analysis) {
        return of("record-device", analysis);
    }

    /** Returns whether a GPU runs kernels of a program of which no framework for models is known. */
    public static boolean isOfNoFramework(Analysis analysis) {
        return RecordingProperty.OWN_KERNELS.holds(analysis);
    }

    private static boolean launchesWait(Analysis analysis) {
        return !analysis.devices().isEmpty() && BlockingLaunches.of(analysis).areFound();
    }

    /** Returns whether a few long calls take most of the launch time: fewer launches would not remove them. */
    private static boolean areFewAndSlow(Analysis analysis) {
        return !analysis.devices().isEmpty()
                && 2 * LaunchCosts.of(analysis).slow().totalNs(analysis.idle())
                        > analysis.ledger().ns(LedgerClass.FRAMEWORK_LAUNCH);
    }

    /** Returns whether a device waits most, of what it waits for by one cause, for such an activity. */
    private static boolean mostIs(LedgerClass cause, Predicate<String> activity, Analysis analysis) {
        return !analysis.devices().isEmpty()
                && analysis.blameFigures().stream()
                        .filter(b -> b.cause() == cause)
                        .findFirst()
                        .filter(b -> activity.test(b.activity()))
                        .isPresent();
    }

    private static boolean waitsForRanks(Analysis analysis) {
        return Tables.of(analysis).rows(Report.SCOPES).stream()
                .anyMatch(s -> s.ledgerClass() == LedgerClass.WAIT_UNKNOWN && NameRole.COLLECTIVE.in(s.name()));
    }
}

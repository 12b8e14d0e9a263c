package io.inferscope.analyzer.model;

import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import java.util.List;

/**
 * Phases, steps and requests: what of the time was start-up, what recurred, and where one step or request went. docs/steps.md says how
 * they are found.
 *
 * @param evidence one sentence on what the steady state was found by, or why there is none; empty where nothing recurs
 * @param phases in the order of time; empty without a steady state
 * @param steps one line per sort of steps, those with most time first
 * @param operators idle time of the headline device by framework operator, largest first, cut to the largest
 * @param gaps the largest idle gaps of the headline device, longest first
 * @param requests where the time of requests went, by what was asked for
 */
public record StepTables(
        String evidence,
        List<PhaseFigures> phases,
        List<StepFigures> steps,
        List<OperatorIdle> operators,
        List<GapFigures> gaps,
        List<RequestTime> requests) {
    /** Nothing of that is known. */
    public static final StepTables NONE = new StepTables("", List.of(), List.of(), List.of(), List.of(), List.of());

    /** Keeps the lists as they are. */
    public StepTables {
        phases = List.copyOf(phases);
        steps = List.copyOf(steps);
        operators = List.copyOf(operators);
        gaps = List.copyOf(gaps);
        requests = List.copyOf(requests);
    }

    /**
     * A phase of the window.
     *
     * @param kind which
     * @param stretch when
     * @param evidence what it is known by
     * @param ledger what the judged subject's time went to in it
     */
    public record PhaseFigures(PhaseKind kind, Stretch stretch, String evidence, Ledger ledger) {}

    /**
     * Steps of one sort. Those of the steady state, where there is one, else all.
     *
     * @param name what recurs
     * @param kind {@code prefill}, {@code decode}, or empty where no evidence tells
     * @param source what they are known by
     * @param phase the phase they lie in; empty without a steady state
     * @param count how many
     * @param medianNs median length; p95 and max likewise
     * @param medianBusyNs median time in which the headline device was busy, -1 without devices
     * @param medianIdleNs median time in which it was not, -1 likewise
     * @param causes what that idle time was spent on, or, without devices, the step itself; largest first
     */
    public record StepFigures(
            String name,
            String kind,
            String source,
            String phase,
            long count,
            long medianNs,
            long p95Ns,
            long maxNs,
            long medianBusyNs,
            long medianIdleNs,
            List<StepCause> causes) {
        /** Returns the name with the kind, {@code forward LlamaForCausalLM, decode}. */
        public String label() {
            return kind.isEmpty() ? name : name + ", " + kind;
        }

        /** Keeps the causes as they are. */
        public StepFigures {
            causes = List.copyOf(causes);
        }
    }

    /**
     * One cause of a step's idle time, or of its length.
     *
     * @param cause the ledger class
     * @param medianNs median per step
     * @param totalNs over all steps
     * @param thread whose doing most of it was; empty when not known
     * @param activity innermost scope, operator, function or call of most of it; empty when not recorded
     * @param where {@code file:line function} of most of it; empty when not recorded
     * @param placeNs the part of the total at that place
     * @param estimated whether any of it comes from samples or counters
     */
    public record StepCause(
            LedgerClass cause,
            long medianNs,
            long totalNs,
            String thread,
            String activity,
            String where,
            long placeNs,
            boolean estimated) {}

    /**
     * Idle time of the headline device under one operator.
     *
     * @param name the innermost framework operator around what was waited for
     * @param cause the ledger class with most of it
     * @param ns the time in the window
     */
    public record OperatorIdle(String name, LedgerClass cause, long ns) {}

    /**
     * One idle gap of the headline device.
     *
     * @param stretch when
     * @param phase {@code head}, {@code span} or {@code tail}
     * @param cause the ledger class of most of it
     * @param thread the thread that was waited for; empty when not known
     * @param activity innermost scope, operator, function or call of most of it
     * @param where {@code file:line} of most of it; empty when not recorded
     */
    public record GapFigures(
            Stretch stretch, String phase, LedgerClass cause, String thread, String activity, String where) {}
}

package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.Stretch;
import java.util.List;
import java.util.Optional;

/**
 * The phases of a window, and the steps that define them.
 *
 * <pre>
 *   window   |  load  | compile | warm-up |  steady state             | after |
 *   steps                       |  1 | 2  | 3 | 4 | 5 | 6 | 7 | 8 | 9 |
 * </pre>
 *
 * @param phases in the order of time, without gaps; empty where no steady state was found
 * @param loop the loop, its steps marked with their phases; empty without a loop
 * @param evidence one sentence on the evidence found or missing; empty without a loop
 */
public record Phases(List<Phase> phases, Optional<Loop> loop, String evidence) {
    /**
     * One phase.
     *
     * @param kind which
     * @param stretch when
     * @param evidence the evidence for it, as a sentence
     */
    public record Phase(PhaseKind kind, Stretch stretch, String evidence) {}

    /** Keeps the phases as they are. */
    public Phases {
        phases = List.copyOf(phases);
    }

    /** Returns when the steady state was, empty where none was found. */
    public Optional<Stretch> steadyState() {
        return phases.stream()
                .filter(phase -> phase.kind() == PhaseKind.STEADY_STATE)
                .map(Phase::stretch)
                .findFirst();
    }

    /** Returns how many phases come before the steady state; 0 without one. */
    public int beforeSteadyState() {
        int count = 0;
        while (count < phases.size() && phases.get(count).kind() != PhaseKind.STEADY_STATE) {
            count++;
        }
        return count;
    }

    /** Returns the steps, all phases included; empty where nothing recurs. */
    public List<Step> steps() {
        return loop.map(Loop::steps).orElse(List.of());
    }
}

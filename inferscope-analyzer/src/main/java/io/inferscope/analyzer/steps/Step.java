package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.model.PhaseKind;
import org.jspecify.annotations.Nullable;

/**
 * One iteration of a program's loop. Steps of a loop follow each other and do not overlap.
 *
 * @param name the name of the recurring row without numbers: {@code forward LlamaForCausalLM}, {@code ProfilerStep}
 * @param kind {@code prefill}, {@code decode}, or empty without evidence
 * @param startNs when it starts: the end of the previous step in the same outer range, so that its preparation is part
 *     of it
 * @param endNs when it ends
 * @param phase its phase, null if no phases were found
 */
public record Step(
        String name,
        String kind,
        long startNs,
        long endNs,
        @Nullable PhaseKind phase) {
    /** Returns its length in ns. */
    public long durationNs() {
        return endNs - startNs;
    }

    /** Returns the name with the kind, {@code forward LlamaForCausalLM (decode)}. */
    public String label() {
        return kind.isEmpty() ? name : name + " (" + kind + ')';
    }

    Step in(@Nullable PhaseKind found) {
        return new Step(name, kind, startNs, endNs, found);
    }
}

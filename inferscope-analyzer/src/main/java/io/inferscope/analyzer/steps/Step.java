package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.model.PhaseKind;
import org.jspecify.annotations.Nullable;

/**
 * One iteration of what a program does over and over. Steps of a loop follow each other and do not overlap.
 *
 * @param name what recurs, numbers left out: {@code forward LlamaForCausalLM}, {@code ProfilerStep}
 * @param kind {@code prefill}, {@code decode}, or empty where no evidence tells
 * @param startNs when it starts: the end of the one before it in the same run of steps, so that what leads to its work is in it
 * @param endNs when it ends
 * @param phase the phase that it lies in, null where none was found
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

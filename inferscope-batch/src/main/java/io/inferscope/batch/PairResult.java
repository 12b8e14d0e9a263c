package io.inferscope.batch;

import java.util.Optional;

/**
 * The result of a pair in a batch.
 *
 * @param pair the pair
 * @param action what the batch did about the pair
 * @param status its status; empty when it was skipped, interrupted, or no status could be written
 * @param exitClass the class of the outcome
 * @param reason why the pair failed, empty for a success
 */
public record PairResult(Pair pair, Action action, Optional<Status> status, ExitClass exitClass, String reason) {
    /** The result of a batch for a pair. */
    public enum Action {
        /** Its tracer was run, or it was found that it cannot be run. */
        RAN,
        /** A result that can be reused was there. */
        BYPASSED,
        /** Another tracer of the same exclusive group has succeeded. */
        SKIPPED,
        /** The batch was stopped before the pair's end; no results are kept. */
        INTERRUPTED
    }

    /** Returns whether there is a result, or none is needed. */
    public boolean isFine() {
        return action == Action.SKIPPED || (action != Action.INTERRUPTED && exitClass == ExitClass.OK);
    }

    static PairResult interrupted(Pair pair) {
        return new PairResult(pair, Action.INTERRUPTED, Optional.empty(), ExitClass.MODEL_ERROR, "interrupted");
    }

    static PairResult of(Pair pair, Action action, Status status) {
        ExitClass exitClass = ExitClass.MODEL_ERROR;
        for (ExitClass known : ExitClass.values()) {
            exitClass = known.label().equals(status.text("exit_class")) ? known : exitClass;
        }
        return new PairResult(pair, action, Optional.of(status), exitClass, status.text("reason"));
    }
}

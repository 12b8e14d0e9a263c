package io.inferscope.batch;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finds results that need not be made again. All files of a result were read to their end when it was made. So only its
 * status is checked here, which must be a success of the same identity and model, and that each file still exists with
 * the size in the status.
 */
final class ReusableResults {
    private final TraceOptions options;
    private final Installation installation;
    private final boolean force;
    private final Map<String, String> states = new HashMap<>();

    ReusableResults(TraceOptions options, Installation installation, boolean force) {
        this.options = options;
        this.installation = installation;
        this.force = force;
    }

    /**
     * Returns the status of a result that can be reused. The state of a model is determined once and used for all pairs
     * of this model. Not thread-safe.
     */
    Optional<Status> atStart(Pair pair) {
        if (force || new PairFolder(pair, options.output()).hasLeftovers()) {
            return Optional.empty();
        }
        return found(
                pair,
                states.computeIfAbsent(pair.model().id(), id -> pair.model().state()));
    }

    /**
     * Returns the status of a result that can be reused now. There may be one that was not there at the start: another
     * batch has made it since, or a killed batch had finished it.
     */
    Optional<Status> now(Pair pair) {
        return force ? Optional.empty() : found(pair, pair.model().state());
    }

    private Optional<Status> found(Pair pair, String modelState) {
        return Status.in(pair.folder(options.output()))
                .filter(status -> status.isReusable(
                        Status.identity(pair, options, installation), modelState, pair.folder(options.output())));
    }
}

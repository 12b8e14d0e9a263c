package io.inferscope.batch;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which results need not be made again. A result was read to its end when it was made. So it suffices here that its status is a success of
 * the same identity and model, and that each of its files exists with the size in the status.
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

    /** Returns the status of a result that can be reused, looking at the pair's model once for all its pairs; for one thread. */
    Optional<Status> atStart(Pair pair) {
        if (force || new PairFolder(pair, options.output()).hasLeftovers()) {
            return Optional.empty();
        }
        return found(
                pair,
                states.computeIfAbsent(pair.model().id(), id -> pair.model().state()));
    }

    /** Returns the status of a result that can be reused now: of another batch, meanwhile, or of one that was killed when it was done. */
    Optional<Status> now(Pair pair) {
        return force ? Optional.empty() : found(pair, pair.model().state());
    }

    private Optional<Status> found(Pair pair, String modelState) {
        return Status.in(pair.folder(options.output()))
                .filter(status -> status.isReusable(
                        Status.identity(pair, options, installation), modelState, pair.folder(options.output())));
    }
}

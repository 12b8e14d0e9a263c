package io.inferscope.batch;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Pairs of one model and mode that one thread runs one after the other.
 *
 * @param pairs the pairs that are not yet done
 * @param exclusive whether the other pairs are skipped after one success
 */
record PairSequence(Deque<Pair> pairs, boolean exclusive) {
    /**
     * Returns the chains of all pairs: pairs of a model and mode whose tracers share an exclusive group form one chain,
     * any other pair a chain of its own.
     */
    static Collection<PairSequence> of(List<Pair> pairs) {
        Map<List<String>, PairSequence> chains = new LinkedHashMap<>();
        for (Pair pair : pairs) {
            String group = pair.tracer().exclusiveGroup();
            String name = group == null ? "tracer " + pair.tracer().name() : "group " + group;
            chains.computeIfAbsent(
                            List.of(pair.model().id(), pair.mode(), name),
                            key -> new PairSequence(new ArrayDeque<>(), group != null))
                    .pairs()
                    .add(pair);
        }
        return chains.values();
    }
}

package io.inferscope.analyzer.diff;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Matches the entities of two recordings by name; the remaining ones by the stable part of their names, if each side
 * has exactly one candidate.
 */
final class Pairing {
    private Pairing() {}

    /**
     * An entity in both recordings, or in one.
     *
     * @param name its name after; if absent there, before
     * @param formerly its name before, if different; otherwise empty
     * @param before its value before, null if absent
     * @param after the same
     */
    record Pair<T>(
            String name,
            String formerly,
            @Nullable T before,
            @Nullable T after) {}

    /** Returns all entities in the order of the maps, those of {@code after} first. */
    static <T> List<Pair<T>> of(Map<String, T> before, Map<String, T> after) {
        Map<String, String> renamed = renamed(before.keySet(), after.keySet());
        List<Pair<T>> pairs = new ArrayList<>();
        after.forEach((name, value) -> {
            String formerly = renamed.getOrDefault(name, "");
            pairs.add(new Pair<>(name, formerly, before.get(formerly.isEmpty() ? name : formerly), value));
        });
        Set<String> taken = new HashSet<>(renamed.values());
        before.forEach((name, value) -> {
            if (!after.containsKey(name) && !taken.contains(name)) {
                pairs.add(new Pair<>(name, "", value, null));
            }
        });
        return pairs;
    }

    /** Returns names before by names after. */
    private static Map<String, String> renamed(Set<String> before, Set<String> after) {
        Map<String, String> gone = byLikeness(before, after);
        Map<String, String> come = byLikeness(after, before);
        Map<String, String> renamed = new HashMap<>();
        come.forEach((likeness, name) -> {
            String former = gone.getOrDefault(likeness, "");
            if (!name.isEmpty() && !former.isEmpty()) {
                renamed.put(name, former);
            }
        });
        return renamed;
    }

    /** Returns the names that the other side lacks, by their stable part; the empty text if several names share it. */
    private static Map<String, String> byLikeness(Set<String> names, Set<String> others) {
        Map<String, String> alone = new HashMap<>();
        for (String name : names) {
            if (!others.contains(name)) {
                alone.merge(StableNames.likeness(name), name, (one, other) -> "");
            }
        }
        return alone;
    }
}

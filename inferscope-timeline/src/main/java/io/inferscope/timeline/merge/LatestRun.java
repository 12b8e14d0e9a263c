package io.inferscope.timeline.merge;

import io.inferscope.timeline.Order;
import io.inferscope.timeline.importer.ImportException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Picks the recordings of the latest run among the recordings of a folder or archive, which may contain earlier runs
 * too. Recordings of one run overlap in time, because its ranks wait for each other.
 */
public final class LatestRun {
    private static final int MOST_NAMED = 5;

    private LatestRun() {}

    /**
     * Returns the recordings of the latest run.
     *
     * @param leftAside receives the names of the other recordings
     * @throws ImportException if there are several recordings without a known time
     */
    public static List<Recording> latest(List<Recording> found, List<String> leftAside) throws ImportException {
        if (found.size() < 2) {
            return found;
        }
        List<Recording> dated = found.stream()
                .filter(Recording::isAnchored)
                .sorted(Order.comparingLong(Recording::startUnixNs))
                .toList();
        if (dated.isEmpty()) {
            throw new ImportException(
                    found.get(0).name(),
                    "is one of " + found.size() + " recordings that do not say when they were recorded: "
                            + found.stream()
                                    .limit(MOST_NAMED)
                                    .map(Recording::name)
                                    .collect(Collectors.joining(", "))
                            + (found.size() > MOST_NAMED ? " and " + (found.size() - MOST_NAMED) + " more" : ""),
                    "name one of them, or several with --offset");
        }
        Set<Recording> run = Collections.newSetFromMap(new IdentityHashMap<>());
        long endNs = Long.MIN_VALUE;
        for (Recording recording : dated) {
            if (recording.startUnixNs() >= endNs) {
                run.clear();
            }
            run.add(recording);
            endNs = Math.max(endNs, recording.endUnixNs());
        }
        List<Recording> latest = found.stream().filter(run::contains).toList();
        found.stream()
                .filter(recording -> !run.contains(recording))
                .map(Recording::name)
                .forEach(leftAside::add);
        return latest;
    }
}

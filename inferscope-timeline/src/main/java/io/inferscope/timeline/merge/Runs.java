package io.inferscope.timeline.merge;

import io.inferscope.timeline.importer.ImportException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which of the recordings that were found together are read as one: those of the latest run. Recordings of one run overlap in time, since
 * its ranks wait for each other; a folder of profiles keeps those of earlier runs, too.
 */
public final class Runs {
    private Runs() {}

    /**
     * Returns the recordings of the latest run.
     *
     * @param leftAside the names of the others are added to it
     * @throws ImportException when there are several that do not tell when they were recorded
     */
    public static List<Recording> latest(List<Recording> found, List<String> leftAside) throws ImportException {
        if (found.size() < 2) {
            return found;
        }
        List<Recording> dated = found.stream()
                .filter(Recording::isAnchored)
                .sorted(Comparator.comparingLong(Runs::startUnixNs))
                .toList();
        if (dated.isEmpty()) {
            throw new ImportException(
                    found.get(0).name(),
                    "is one of " + found.size() + " recordings that do not say when they were recorded: "
                            + found.stream().map(Recording::name).collect(Collectors.joining(", ")),
                    "name one of them, or several with --offset");
        }
        List<Recording> run = new ArrayList<>();
        long endNs = Long.MIN_VALUE;
        for (Recording recording : dated) {
            if (startUnixNs(recording) >= endNs) {
                run.clear();
            }
            run.add(recording);
            endNs = Math.max(endNs, recording.endNs() + recording.timeline().originUnixNs());
        }
        List<Recording> latest = found.stream().filter(run::contains).toList();
        found.stream()
                .filter(recording -> !run.contains(recording))
                .map(Recording::name)
                .forEach(leftAside::add);
        return latest;
    }

    private static long startUnixNs(Recording recording) {
        return recording.startNs() + recording.timeline().originUnixNs();
    }
}

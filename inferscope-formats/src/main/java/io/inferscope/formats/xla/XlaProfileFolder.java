package io.inferscope.formats.xla;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folder that {@code jax.profiler.start_trace} and TensorFlow's profiler write: {@code
 * plugins/profile/TIME/HOST.xplane.pb} and, beside it, {@code HOST.trace.json.gz}. Any folder in that path is accepted.
 *
 * @param file the file to read: of the latest run and the first host by name
 * @param run name of the run's folder, which is its time
 * @param otherRuns how many more runs there are
 * @param otherHosts how many more files of the kind the run has
 */
record XlaProfileFolder(Path file, String run, int otherRuns, int otherHosts) {
    private static final List<String> RUN_PARENTS = List.of("", "plugins/profile", "profile");

    /** Returns the newest run's file with an ending, empty if there is none. */
    static Optional<XlaProfileFolder> find(Path folder, String ending) throws IOException {
        List<Path> own = files(folder, ending);
        if (!own.isEmpty()) {
            return Optional.of(of(folder, own, 0));
        }
        for (String parent : RUN_PARENTS) {
            List<Path> runs = runs(folder.resolve(parent), ending);
            if (!runs.isEmpty()) {
                Path newest = runs.get(runs.size() - 1);
                return Optional.of(of(newest, files(newest, ending), runs.size() - 1));
            }
        }
        return Optional.empty();
    }

    private static XlaProfileFolder of(Path run, List<Path> files, int otherRuns) {
        return new XlaProfileFolder(
                files.get(0), String.valueOf(run.toAbsolutePath().getFileName()), otherRuns, files.size() - 1);
    }

    private static List<Path> runs(Path parent, String ending) throws IOException {
        List<Path> runs = new ArrayList<>();
        for (Path run : children(parent)) {
            if (!files(run, ending).isEmpty()) {
                runs.add(run);
            }
        }
        return runs;
    }

    private static List<Path> files(Path folder, String ending) throws IOException {
        return children(folder).stream()
                .filter(file -> file.toString().endsWith(ending) && Files.isRegularFile(file))
                .toList();
    }

    private static List<Path> children(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.sorted(Comparator.comparing(Path::toString)).toList();
        }
    }

    /** Returns in words which file was chosen and which were skipped, empty if there was only one. */
    String leftAside() {
        if (otherHosts + otherRuns == 0) {
            return "";
        }
        return "the xplane.pb read is of run " + run
                + (otherHosts == 0 ? "" : ", of the first of " + (otherHosts + 1) + " hosts")
                + (otherRuns == 0 ? "" : ", the latest of " + (otherRuns + 1) + " runs")
                + "; name a file to read another";
    }
}

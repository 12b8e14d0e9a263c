package io.inferscope.fleet;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The recordings of a fleet: every file of a folder that is one, or those that a list names.
 *
 * @param labels the labels of all recordings; a value {@code @N} is the N-th folder below the input folder
 */
public record FleetInputs(Map<String, String> labels) {
    private static final int MAX_DEPTH = 16;

    /** XLA's profiler writes both of a session; the second holds less. */
    private static final String XPLANE = ".xplane.pb";

    private static final String TRACE_OF_XLA = ".trace.json.gz";

    /** A file of such a name is a recording even if it cannot be recognised: it is damaged. */
    private static final List<String> ENDINGS = List.of(".json", ".json.gz");

    /**
     * One recording.
     *
     * @param file its file, or the folder of its spools
     * @param labels what it is of
     */
    public record Recording(Path file, Map<String, String> labels) {}

    /**
     * Returns the recordings of a folder or a list, by path.
     *
     * @param input a folder, or a text file with a path per line, relative to the list, and perhaps tabs and labels such
     *     as {@code service=chat} after it
     * @param without a folder that is not searched
     * @throws IllegalArgumentException if a line of the list has labels that are none
     */
    public List<Recording> find(Path input, Path without) throws IOException {
        List<Recording> found = new ArrayList<>();
        if (Files.isDirectory(input)) {
            search(input, input, without.toAbsolutePath().normalize(), 0, found);
            return found;
        }
        for (String line : Files.readAllLines(input)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] parts = line.split("\t+");
            Map<String, String> own = new TreeMap<>(labels);
            own.putAll(Origin.labels(Arrays.asList(parts).subList(1, parts.length)));
            found.add(new Recording(input.toAbsolutePath().resolveSibling(parts[0].strip()), own));
        }
        return found;
    }

    private void search(Path root, Path folder, Path without, int depth, List<Recording> found) throws IOException {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            all.forEach(children::add);
        }
        Collections.sort(children);
        boolean ofXla = children.stream().anyMatch(child -> child.toString().endsWith(XPLANE));
        if (depth > 0 && !ofXla && Formats.importers().recognises(folder)) { // Such as a folder of spools.
            found.add(new Recording(folder, labelsOf(root.relativize(folder))));
            return;
        }
        for (Path child : children) {
            boolean hidden = String.valueOf(child.getFileName()).startsWith(".");
            boolean told = child.toString().endsWith(TRACE_OF_XLA)
                    && children.contains(Path.of(child.toString().replace(TRACE_OF_XLA, XPLANE)));
            if (hidden || told || child.toAbsolutePath().normalize().equals(without)) {
                continue;
            }
            if (Files.isDirectory(child)) {
                if (depth < MAX_DEPTH && !Files.isSymbolicLink(child)) {
                    search(root, child, without, depth + 1, found);
                }
            } else if (Files.isRegularFile(child) && isRecording(child)) {
                found.add(new Recording(child, labelsOf(root.relativize(child))));
            }
        }
    }

    /** Returns whether a file is a recording, or named like one. */
    public static boolean isRecording(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        boolean named = ENDINGS.stream().anyMatch(name::endsWith);
        try {
            return !TraceHead.of(new TraceSource(file)).contains("\"inferscope-report/")
                    && (named || Formats.importers().recognises(file));
        } catch (IOException | UncheckedIOException damaged) {
            return named;
        }
    }

    /** Returns the labels of a recording by its path below the input folder. */
    public Map<String, String> labelsOf(Path inside) {
        Map<String, String> resolved = new TreeMap<>();
        labels.forEach((key, value) -> {
            if (!value.matches("@[1-9]")) {
                resolved.put(key, value);
            } else if (Integer.parseInt(value.substring(1)) < inside.getNameCount()) {
                String part =
                        inside.getName(Integer.parseInt(value.substring(1)) - 1).toString();
                resolved.putAll(Origin.labels(List.of(key + "=" + part.replaceAll("[\\p{Cntrl}\"\\\\']", "_"))));
            }
        });
        return resolved;
    }
}

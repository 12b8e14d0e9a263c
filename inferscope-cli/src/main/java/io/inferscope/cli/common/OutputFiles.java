package io.inferscope.cli.common;

import io.inferscope.formats.Formats;
import io.inferscope.formats.archive.InputFiles;
import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.files.WholeFile;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/** Checks that output files differ from inputs and from each other, and that they can be written. */
public final class OutputFiles {
    private static final String SPOOL = ".spool";

    private OutputFiles() {}

    /**
     * Fails if an output would replace an input or another output, or cannot be written.
     *
     * @param inputs files or spool folders that are read
     * @param outputs files that will be written
     * @throws IllegalArgumentException if two of them are one file, or one cannot be written; the message names it
     */
    public static void check(List<Path> inputs, List<Path> outputs) {
        for (int i = 0; i < outputs.size(); i++) {
            Path output = outputs.get(i);
            checkPlace(output);
            if (WholeFile.isStream(output)) {
                continue; // Several outputs may be written to one device.
            }
            for (Path input : inputs) {
                if (contents(input).stream().anyMatch(file -> isSame(file, output))) {
                    throw new IllegalArgumentException("output " + output + " is the input; name another file");
                }
                if (isFoundIn(input, output)) {
                    throw new IllegalArgumentException(
                            "output " + output + " is a recording of the input " + input + "; name another file");
                }
            }
            for (Path other : outputs.subList(0, i)) {
                if (isSame(other, output)) {
                    throw new IllegalArgumentException("outputs " + other + " and " + output
                            + " are the same file; name another file for one of them");
                }
            }
        }
    }

    /** Checks an output's folder. Missing folders will be made, so the nearest existing one counts. */
    private static void checkPlace(Path output) {
        try {
            if (WholeFile.isStream(output)) {
                return;
            }
            RunOutputs.check(output);
            output = WholeFile.place(output);
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot write " + FileProblem.describe(e), e);
        }
        Path place = output.toAbsolutePath().normalize().getParent();
        while (place != null && !Files.exists(place)) {
            place = place.getParent();
        }
        String problem = Files.isDirectory(output)
                ? "it is a folder"
                : place == null || Files.isDirectory(place)
                        ? place == null || Files.isWritable(place) ? "" : place + " cannot be written to"
                        : place + " is not a folder";
        if (!problem.isEmpty()) {
            throw new IllegalArgumentException("cannot write " + output + ": " + problem
                    + "; name another place, for a report with -o, for the trace with --trace");
        }
    }

    /**
     * Returns whether a file that would be replaced is a recording found in an input folder or pattern. InferScope's
     * reports do not count.
     */
    private static boolean isFoundIn(Path input, Path output) {
        if (Files.isRegularFile(input) || !Files.isRegularFile(output)) {
            return false;
        }
        try {
            Path real = output.toRealPath();
            boolean inside = Files.isDirectory(input)
                    ? real.startsWith(input.toRealPath())
                    : InputFiles.isPattern(input)
                            && FileSystems.getDefault()
                                    .getPathMatcher(
                                            "glob:" + input.toAbsolutePath().normalize())
                                    .matches(real);
            TraceHead head = TraceHead.of(new TraceSource(real));
            return inside
                    && !head.contains("\"inferscope-report/")
                    && Formats.importers().recognises(real);
        } catch (IOException | PatternSyntaxException unreadable) {
            return false; // The import reports it.
        }
    }

    /** Returns an input and the spools in it. */
    private static List<Path> contents(Path input) {
        List<Path> files = new ArrayList<>(List.of(input));
        if (Files.isDirectory(input)) {
            try (Stream<Path> spools = Files.list(input)) {
                spools.filter(file -> file.toString().endsWith(SPOOL)).forEach(files::add);
            } catch (IOException | UncheckedIOException unreadable) {
                // The import reports it.
            }
        }
        return files;
    }

    static boolean isSame(Path a, Path b) {
        try {
            if (Files.exists(a) && Files.exists(b)) {
                return Files.isSameFile(a, b);
            }
        } catch (IOException unknown) {
            // Compared by name below.
        }
        return resolved(a).equals(resolved(b));
    }

    /** Returns the path of a file that does not exist yet, with links in its folder resolved. */
    private static Path resolved(Path file) {
        Path absolute = file.toAbsolutePath().normalize();
        Path folder = absolute.getParent();
        try {
            return folder == null || !Files.exists(folder)
                    ? absolute
                    : folder.toRealPath().resolve(absolute.getFileName());
        } catch (IOException unknown) {
            return absolute;
        }
    }
}

package io.inferscope.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Keeps files that will be written apart from the files they are made from, and from each other. */
final class OutputFiles {
    private static final String SPOOL = ".spool";

    private OutputFiles() {}

    /**
     * Fails when an output would replace an input or another output.
     *
     * @param inputs files or spool folders that are read
     * @param outputs files that will be written
     * @throws IllegalArgumentException when two of them are one file; the message names it
     */
    static void check(List<Path> inputs, List<Path> outputs) {
        for (int i = 0; i < outputs.size(); i++) {
            Path output = outputs.get(i);
            for (Path input : inputs) {
                if (contents(input).stream().anyMatch(file -> isSame(file, output))) {
                    throw new IllegalArgumentException("output " + output + " is the input; name another file");
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

    /** Returns an input with the spools in it. */
    private static List<Path> contents(Path input) {
        List<Path> files = new ArrayList<>(List.of(input));
        if (Files.isDirectory(input)) {
            try (Stream<Path> spools = Files.list(input)) {
                spools.filter(file -> file.toString().endsWith(SPOOL)).forEach(files::add);
            } catch (IOException | UncheckedIOException unreadable) {
                // The import says so.
            }
        }
        return files;
    }

    private static boolean isSame(Path a, Path b) {
        try {
            if (Files.exists(a) && Files.exists(b)) {
                return Files.isSameFile(a, b);
            }
        } catch (IOException unknown) {
            // Their names decide, then.
        }
        return resolved(a).equals(resolved(b));
    }

    /** Returns where a file that does not exist yet will lie: links in the name of its folder are followed. */
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

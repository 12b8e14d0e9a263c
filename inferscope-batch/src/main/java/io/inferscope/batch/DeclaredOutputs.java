package io.inferscope.batch;

import io.inferscope.timeline.JsonValues;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Checks that a tracer wrote the outputs it declares: every declared path matches a file, and every matching file can
 * be read to its end.
 */
final class DeclaredOutputs {
    private DeclaredOutputs() {}

    /** Describes what is missing or damaged in a folder; empty when nothing is. */
    static String broken(Path folder, List<String> promised) throws IOException {
        for (String pattern : promised) {
            List<Path> files = matches(folder, pattern);
            if (files.isEmpty()) {
                return pattern + " is missing";
            }
            for (Path file : files) {
                try {
                    check(file);
                } catch (IOException e) {
                    return folder.relativize(file) + " cannot be read: "
                            + String.valueOf(e.getMessage()).split("\\R", 2)[0];
                }
            }
        }
        return promised.isEmpty() && matches(folder, "*").isEmpty() ? "the tracer wrote nothing" : "";
    }

    /**
     * Returns the files below a folder that match a pattern, sorted by name. A pattern that names a folder matches all
     * files in it.
     */
    static List<Path> matches(Path folder, String pattern) throws IOException {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:{" + pattern + "," + pattern + "/**}");
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !isOwn(folder.relativize(file)))
                    .filter(file -> matcher.matches(folder.relativize(file)))
                    .sorted()
                    .toList();
        }
    }

    /** Returns whether a file was written by InferScope itself and is not a result of the tracer. */
    static boolean isOwn(Path relative) {
        String first = relative.getName(0).toString();
        return first.startsWith(".")
                || first.equals("stdout.txt")
                || first.equals("stderr.txt")
                || first.equals(Status.FILE);
    }

    private static void check(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        try (InputStream in = Files.newInputStream(file)) {
            if (name.endsWith(".json.gz")) {
                JsonValues.check(new GZIPInputStream(in));
            } else if (name.endsWith(".json")) {
                JsonValues.check(in);
            } else if (name.endsWith(".csv") || name.endsWith(".txt")) {
                try (BufferedReader lines = Files.newBufferedReader(file)) { // Throws where the text is not in UTF-8.
                    if (lines.readLine() == null) {
                        throw new IOException("it is empty");
                    }
                    lines.transferTo(java.io.Writer.nullWriter());
                }
            }
        }
    }
}

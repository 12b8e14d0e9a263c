package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Log;
import io.inferscope.collectors.run.ShapeRecording;
import io.inferscope.timeline.files.Programs;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.text.ShellText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;

/** The shape files of a run's workers: complete files, and logs of killed workers. */
final class ShapeLogs {
    private static final String LOG = ".log";
    private static final String SUMMARY = "_summary.json";

    private ShapeLogs() {}

    /** Returns the logs of {@code file}, of all ranks and processes. */
    static List<Path> left(Path file) throws IOException {
        return beside(file, ending(file) + LOG);
    }

    /** Returns the summaries of {@code file}, of all ranks, written since {@code start}. */
    static List<Path> summaries(Path file, FileTime start) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path summary : beside(file, SUMMARY)) {
            if (Files.getLastModifiedTime(summary).compareTo(start) >= 0) {
                found.add(summary);
            }
        }
        return found;
    }

    private static List<Path> beside(Path file, String ending) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            return List.of();
        }
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path path : all) {
                String name = String.valueOf(path.getFileName());
                String stem = stem(file);
                if (name.startsWith(stem)
                        && name.endsWith(ending)
                        && isVariant(name, stem, ending)
                        && (Files.isRegularFile(path) || Files.isDirectory(path))) {
                    found.add(path);
                }
            }
        }
        found.sort(null);
        return found;
    }

    private static boolean isVariant(String name, String stem, String ending) {
        int end = name.length() - ending.length();
        return end >= stem.length() && name.substring(stem.length(), end).matches("(_rank\\d+)?(_pid\\d+(-\\d+)?)?");
    }

    /** Returns the name without its ending. */
    static String stem(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.substring(0, name.length() - ending(file).length());
    }

    private static String ending(Path file) {
        String name = String.valueOf(file.getFileName());
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(dot) : "";
    }

    /**
     * Completes the files of logs, and prints the result of each. Returns whether all succeeded.
     *
     * @throws ImportException when Python cannot be started
     */
    static boolean recover(ShapeRecording recording, List<Path> logs, PrintWriter err) throws ImportException {
        List<String> words = new ArrayList<>(List.of("python3", "-S", String.valueOf(recording.recoverer())));
        logs.forEach(log -> words.add(log.toString()));
        Path python = Programs.find("python3")
                .orElseThrow(() -> new ImportException(
                        logs.get(0).toString(), "python3 is not on PATH", "run: " + ShellText.command(words)));
        try {
            words.set(0, python.toString());
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!said.isEmpty()) {
                said.lines().forEach(line -> Log.tell(err, line));
            }
            return process.waitFor() == 0;
        } catch (IOException e) {
            throw new ImportException(
                    logs.get(0).toString(),
                    "python3 cannot be started: " + e.getMessage(),
                    "run: " + ShellText.command(words));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ImportException(logs.get(0).toString(), "interrupted", "run: " + ShellText.command(words));
        }
    }
}

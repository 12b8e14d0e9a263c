package io.inferscope.formats.archive;

import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.files.Programs;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.text.ShellText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Reports of Nsight Systems, which only its own program can read: {@code nsys export} converts them to a database for
 * import.
 */
final class NsysExport {
    private static final long PATIENCE_MINUTES = 30;

    private NsysExport() {}

    /** Returns whether a file is such a report, by its name, because the format is not published. */
    static boolean isReport(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        return (name.endsWith(".nsys-rep") || name.endsWith(".qdrep")) && Files.isRegularFile(file);
    }

    /**
     * Exports a report into a folder and returns the database.
     *
     * @param searched the folders in which programs lie, as {@code PATH} has them
     * @param started takes the running program, for a signal that ends the command
     * @throws ImportException if the program is missing or fails
     */
    static Path export(Path report, Path into, String searched, Consumer<Process> started) throws ImportException {
        String name = String.valueOf(report.getFileName());
        String stem = name.substring(0, name.lastIndexOf('.'));
        String command = "nsys export --type=sqlite " + ShellText.quoted("--output=" + stem + ".sqlite") + " "
                + ShellText.file(name);
        Path nsys = Programs.find("nsys", searched)
                .orElseThrow(() -> new ImportException(
                        report.toString(),
                        "only Nsight Systems can read this report, and nsys is not on PATH",
                        "run this where nsys is installed, and name its output: " + command));
        Path database = into.resolve(stem + ".sqlite");
        Path log = into.resolve("nsys.log");
        try {
            Process process = new ProcessBuilder(
                            nsys.toString(),
                            "export",
                            "--type=sqlite",
                            "--output=" + database,
                            report.toAbsolutePath().toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            started.accept(process);
            process.getOutputStream().close();
            boolean ended = process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES);
            if (!ended) {
                end(process);
            }
            if (!ended || process.exitValue() != 0 || !Files.isRegularFile(database)) {
                String said = lastLine(log);
                throw new ImportException(
                        report.toString(),
                        "nsys export failed" + (said.isEmpty() ? "" : ": " + said),
                        "try it by hand, and name its output: " + command);
            }
            return database;
        } catch (IOException e) {
            throw new ImportException(
                    report.toString(),
                    "nsys cannot be run: " + FileProblem.reason(e),
                    "run this by hand, and name its output: " + command,
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ImportException(report.toString(), "interrupted", "try again", e);
        }
    }

    /** Ends the program and what it started. */
    static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static String lastLine(Path log) throws IOException {
        try (Stream<String> lines = Files.lines(log, java.nio.charset.StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> !line.isBlank()).reduce("", (before, line) -> line.strip());
        }
    }
}

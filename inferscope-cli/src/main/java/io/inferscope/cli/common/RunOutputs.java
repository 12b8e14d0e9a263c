package io.inferscope.cli.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Names what a run writes when the user did not. Nothing that exists is overwritten: later runs get -2, -3, ... */
public final class RunOutputs {
    /** Where outputs go that are not named. */
    public static final Path FOLDER = Path.of("outputs");

    private static final Set<String> LAUNCHERS =
            Set.of("env", "nice", "ionice", "numactl", "taskset", "time", "uv", "run");

    /** Options of interpreters and launchers that take the next word. */
    private static final Set<String> TAKES_A_VALUE =
            Set.of("-cp", "-classpath", "--class-path", "-p", "--module-path", "-W", "-X", "-n", "--with");

    private RunOutputs() {}

    /** Returns the stem of a command's name: the script's or module's for an interpreter, else the executable's. */
    public static String program(List<String> command) {
        String name = baseName(command.get(0));
        for (int i = 1; i < command.size() && (isInterpreter(name) || LAUNCHERS.contains(name)); i++) {
            String word = command.get(i);
            if (word.equals("-c")) {
                break;
            }
            if (TAKES_A_VALUE.contains(word)) {
                i++;
                continue;
            }
            if (!word.startsWith("-") && !word.contains("=")) {
                name = baseName(word);
                if (!isInterpreter(name) && !LAUNCHERS.contains(name)) {
                    break;
                }
            }
        }
        String stem = name.endsWith(".py") ? name.substring(0, name.length() - ".py".length()) : name;
        String safe = stem.replaceAll("[^A-Za-z0-9._-]", "_");
        return safe.isEmpty() ? "program" : safe.substring(0, Math.min(safe.length(), 60));
    }

    /** A script that cannot be executed is Python's. */
    public static List<String> withInterpreter(List<String> command) {
        Path first = Path.of(command.get(0));
        if (command.get(0).endsWith(".py") && Files.isRegularFile(first) && !Files.isExecutable(first)) {
            List<String> withInterpreter = new ArrayList<>(List.of("python3"));
            withInterpreter.addAll(command);
            return withInterpreter;
        }
        return command;
    }

    private static boolean isInterpreter(String name) {
        return name.matches("(python|pypy)[0-9.]*|bash|sh|dash|zsh|java|node|ruby|perl");
    }

    private static String baseName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Returns {@code folder/prefix + suffix}, with -2, -3, ... before the suffix when that exists already. */
    public static Path unused(Path folder, String prefix, String suffix) {
        Path path = folder.resolve(prefix + suffix);
        for (int i = 2; Files.exists(path); i++) {
            path = folder.resolve(prefix + "-" + i + suffix);
        }
        return path;
    }

    /** Returns where the report goes when no file is named. */
    public static Path report(Settings settings, String program) {
        return settings.reportPath().orElseGet(() -> unused(FOLDER, "report_" + program, ".md"));
    }

    /** Makes a new folder for spools beside the trace. */
    public static Path spoolFolder(Path trace, String program) throws IOException {
        Path parent = trace.toAbsolutePath().getParent();
        Path folder = parent == null ? FOLDER : parent;
        Files.createDirectories(folder);
        for (int i = 1; ; i++) {
            Path candidate = folder.resolve("spool_" + program + (i == 1 ? "" : "-" + i));
            try {
                return Files.createDirectory(candidate);
            } catch (java.nio.file.FileAlreadyExistsException taken) {
                // The next number, then: another run may be under way.
            }
        }
    }

    /** Says what was written, and what that took. */
    public static void say(Log log, List<Path> reports, Path trace, AfterCost cost) {
        if (log.level().says(LogLevel.INFO)) {
            reports.forEach(file -> log.err().println("Report: " + file));
            log.err().println("Trace:  " + trace);
            log.err().println(cost.line());
        }
    }

    /** Says where the spools are, or deletes them. */
    public static void settle(Log log, Path spools, boolean keep) {
        if (keep && log.level().says(LogLevel.INFO)) {
            log.err().println("Spools: " + spools);
        }
        if (!keep) {
            deleteSpools(spools);
        }
    }

    /** Deletes a spool folder, which holds nothing but what recorders wrote, as far as possible. */
    public static void deleteSpools(Path folder) {
        try (java.util.stream.Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | java.io.UncheckedIOException left) {
            // What is left harms nobody.
        }
    }
}

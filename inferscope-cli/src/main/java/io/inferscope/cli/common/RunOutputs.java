package io.inferscope.cli.common;

import io.inferscope.timeline.files.WholeFile;
import io.inferscope.timeline.text.ShellText;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Default names of a run's output files. Existing files are not overwritten: later runs get -2, -3, ... */
public final class RunOutputs {
    /** The folder of outputs whose path is not given. */
    public static final Path FOLDER = Path.of("outputs");

    private static final Set<String> LAUNCHERS =
            Set.of("env", "nice", "ionice", "numactl", "taskset", "time", "uv", "run");

    /** Options of interpreters and launchers that take the next word. */
    private static final Set<String> TAKES_A_VALUE =
            Set.of("-cp", "-classpath", "--class-path", "-p", "--module-path", "-W", "-X", "-n", "--with");

    private RunOutputs() {}

    /**
     * Returns the short name of a command: for an interpreter that of the script or module, otherwise that of the
     * executable.
     */
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
        return name.matches("(python|pypy)[0-9.]*t?|bash|sh|dash|zsh|java|node|ruby|perl");
    }

    private static String baseName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Returns {@code folder/prefix + suffix}, with -2, -3, ... before the suffix if the file exists. */
    public static Path unused(Path folder, String prefix, String suffix) {
        Path path = folder.resolve(prefix + suffix);
        for (int i = 2; taken(path); i++) {
            path = folder.resolve(prefix + "-" + i + suffix);
        }
        return path;
    }

    /** Also by a link that leads nowhere, through which a file would be made elsewhere. */
    private static boolean taken(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Default output files of one run; the three have the same number.
     *
     * @param spools a new folder beside the trace that only this user can enter
     */
    public record Reserved(Path trace, Path report, SpoolFolder spools) {}

    /**
     * Fails if a file would be written to {@link #FOLDER}, and other users could replace it there. They may write to a
     * folder that is named on the command line.
     */
    public static void check(Path file) throws IOException {
        if (file.toAbsolutePath().normalize().startsWith(FOLDER.toAbsolutePath())
                && Files.exists(FOLDER, LinkOption.NOFOLLOW_LINKS)) {
            WholeFile.checkPrivate(FOLDER);
        }
    }

    /**
     * Reserves the files of a run, by its spool folder: runs that start at the same moment get different numbers.
     *
     * @param named the trace that the user named, or null
     * @throws IOException when the folder cannot be made, or belongs to another user
     */
    public static Reserved reserve(@Nullable Path named, String program) throws IOException {
        Path parent = named == null ? FOLDER : named.toAbsolutePath().getParent();
        Path folder = parent == null ? FOLDER : parent;
        Files.createDirectories(folder, WholeFile.OWN_FOLDER);
        WholeFile.checkOwner(folder);
        check(folder);
        for (int i = 1; ; i++) {
            String end = program + (i == 1 ? "" : "-" + i);
            Path trace = named == null ? folder.resolve("trace_" + end + ".json.gz") : named;
            Path report = FOLDER.resolve("report_" + end + ".md");
            if ((named == null && taken(trace)) || taken(report)) {
                continue;
            }
            SpoolFolder spools;
            try {
                // Absolute: the program may change its folder.
                spools = SpoolFolder.make(folder.toAbsolutePath().resolve("spool_" + end));
            } catch (FileAlreadyExistsException taken) {
                continue;
            }
            // A run with this number may have ended since the check for its files.
            if (!(named == null && taken(trace)) && !taken(report)) {
                return new Reserved(trace, report, spools);
            }
            spools.delete();
        }
    }

    /** Returns the report's file if none is named. A free name is reserved at once by an empty file. */
    public static Path report(Settings settings, String program, Path preferred) throws IOException {
        Optional<Path> set = settings.reportPath();
        if (set.isPresent()) {
            return set.get();
        }
        Files.createDirectories(FOLDER, WholeFile.OWN_FOLDER);
        check(FOLDER);
        Path report = preferred;
        for (int i = 2; ; i++) {
            try {
                return Files.createFile(report, WholeFile.PRIVATE_FILE);
            } catch (FileAlreadyExistsException taken) {
                report = FOLDER.resolve("report_" + program + "-" + i + ".md");
            }
        }
    }

    /** Prints the written files and the CPU time. */
    public static void say(Log log, ReportOptions reports, Path trace, PostRecordingCost cost) {
        say(log, reports, trace);
        if (log.level().says(LogLevel.INFO)) {
            Log.line(log.err(), cost.line());
        }
    }

    /** Prints the paths of the written files. */
    public static void say(Log log, ReportOptions reports, Path trace) {
        if (log.level().says(LogLevel.INFO)) {
            reports.files().forEach(file -> Log.line(log.err(), "Report: " + file));
            reports.pictures().forEach(file -> Log.line(log.err(), "        " + file));
            Log.line(log.err(), "Trace:  " + trace);
        }
    }

    /** Returns what a user can do with the spools of a run that has no report. */
    public static String kept(Path spools) {
        return "what was recorded is kept: inferscope recover " + ShellText.file(spools.toString());
    }

    /** Prints the place of the spools, or deletes them. */
    public static void settle(Log log, SpoolFolder spools, boolean keep) {
        if (keep && log.level().says(LogLevel.INFO)) {
            Log.line(log.err(), "Spools: " + spools.path());
        }
        if (!keep) {
            spools.delete();
        }
    }
}

package io.inferscope.collectors.run;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Finds the file of a command by POSIX 2.9.1.4: a name with a slash is a path, any other is searched on PATH. */
public final class CommandLookup {
    private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

    private CommandLookup() {}

    /**
     * Returns the file to execute.
     *
     * @throws CommandFailure with 127 when there is none, 126 when it is a directory or not executable
     */
    public static Path find(String command, String searchPath) throws CommandFailure {
        if (command.isEmpty()) {
            throw new CommandFailure(CommandFailure.NOT_FOUND, "the command's name is empty");
        }
        try {
            return command.indexOf('/') >= 0 ? direct(command) : onPath(command, searchPath);
        } catch (InvalidPathException e) {
            throw new CommandFailure(CommandFailure.NOT_FOUND, command + ": not found");
        }
    }

    private static Path direct(String command) throws CommandFailure {
        Path file = Path.of(command);
        if (!Files.exists(file)) {
            throw new CommandFailure(CommandFailure.NOT_FOUND, command + ": not found");
        }
        if (Files.isDirectory(file)) {
            throw new CommandFailure(CommandFailure.NOT_EXECUTABLE, command + ": is a directory");
        }
        if (!Files.isExecutable(file)) {
            throw new CommandFailure(CommandFailure.NOT_EXECUTABLE, command + ": not executable");
        }
        return file;
    }

    private static Path onPath(String command, String searchPath) throws CommandFailure {
        boolean found = false;
        for (String folder : (searchPath.isEmpty() ? DEFAULT_PATH : searchPath).split(":", -1)) {
            Path file = Path.of(folder.isEmpty() ? "." : folder).resolve(command);
            if (Files.isRegularFile(file)) {
                if (Files.isExecutable(file)) {
                    return file;
                }
                found = true;
            }
        }
        throw found
                ? new CommandFailure(CommandFailure.NOT_EXECUTABLE, command + ": found on PATH but not executable")
                : new CommandFailure(CommandFailure.NOT_FOUND, command + ": not found on PATH");
    }
}

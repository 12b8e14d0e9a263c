package io.inferscope.collectors.run;

import io.inferscope.collectors.os.ChildProcess;
import io.inferscope.collectors.os.Inheritance;
import io.inferscope.collectors.os.OwnProcess;
import io.inferscope.collectors.os.SpawnException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a command the way a shell does. */
record CommandRunner(SignalRelay relay, Inheritance inheritance) {
    private static final String SHELL = "/bin/sh";

    /**
     * Starts the command.
     *
     * @throws CommandFailure with the exit code a shell would give
     */
    ChildProcess start(List<String> command, ChildEnvironment environment) throws CommandFailure {
        Path file = CommandLookup.find(command.get(0), environment.text("PATH", NativeText.charset()));
        byte[] path = file.toString().getBytes(NativeText.charset());
        if ("".equals(environment.variable("_"))) {
            environment.set("_", path); // By the launcher, where the user's shell had named the launcher.
        }
        List<byte[]> arguments = NativeText.arguments(command);
        List<byte[]> entries = environment.entries();
        try {
            ChildProcess child = relay.start(() -> spawn(path, arguments, entries));
            OwnProcess.ignoreQuit();
            OwnProcess.raiseDescriptorLimit();
            return child;
        } catch (SpawnException e) {
            int code = e.isShortage() ? CommandFailure.INFERSCOPE_FAILED : CommandFailure.NOT_EXECUTABLE;
            throw new CommandFailure(code, command.get(0) + ": " + reason(e));
        }
    }

    /** Runs a script without an interpreter line by the shell (POSIX 2.9.1.4). */
    private ChildProcess spawn(byte[] path, List<byte[]> arguments, List<byte[]> environment) throws SpawnException {
        try {
            return ChildProcess.spawn(path, arguments, environment, inheritance);
        } catch (SpawnException e) {
            if (e.errno() != SpawnException.ENOEXEC) {
                throw e;
            }
            List<byte[]> words = new ArrayList<>();
            words.add(SHELL.getBytes(StandardCharsets.US_ASCII));
            words.add(path);
            words.addAll(arguments.subList(1, arguments.size()));
            return ChildProcess.spawn(words.get(0), words, environment, inheritance);
        }
    }

    /**
     * Returns the reason of a failure. If an existing file is "not found", the interpreter in its first line is
     * missing.
     */
    private static String reason(SpawnException e) {
        if (e.isShortage()) {
            return e.getMessage() + "; allow more processes (ulimit -u, pids.max) or memory";
        }
        return e.errno() == SpawnException.ENOENT ? "its interpreter was not found" : String.valueOf(e.getMessage());
    }
}

package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Updates the identity of processes once a second, because a program may replace itself or set a title without changing
 * its short name.
 */
final class IdentityRefresher {
    private static final String FORK = "fork";

    private final OperatingSystem system;
    private final ProcFiles files;
    private final Consumer<SpoolRecord> writer;

    IdentityRefresher(OperatingSystem system, Consumer<SpoolRecord> writer) {
        this.system = system;
        this.writer = writer;
        files = new ProcFiles(system);
    }

    /** Updates a process' identity; returns whether its name or role has changed. */
    boolean look(SampledProcess process) {
        String commandLine = files.text("/proc/" + process.pid + "/cmdline");
        if (commandLine.isEmpty()) { // A zombie, a kernel thread, or not readable: the known identity stays.
            process.identity =
                    process.identity.program().isEmpty() ? new ProcessIdentity(process.program, "") : process.identity;
            return false;
        }
        process.commandLineHash = commandLine.hashCode();
        List<String> words = ProcessIdentity.words(commandLine);
        ProcessIdentity identity = ProcessIdentity.of(SampledProcess.program(system, process.pid, ""), words);
        if (process.isFork() && identity.role().isEmpty()) {
            identity = new ProcessIdentity(identity.program(), FORK);
        }
        boolean changed = !identity.isSame(process.identity);
        process.identity = identity;
        return changed;
    }

    /** Writes roles and ranks that are new. */
    void write(SampledProcess process) {
        String role = process.identity.role();
        if (!role.equals(process.notes.getOrDefault("role", ""))) {
            note(process, "role", role);
        }
        Map<String, String> ranks = ProcessIdentity.ranks(files.environment(process.pid));
        ranks.forEach((name, value) -> {
            if (!value.equals(process.notes.get(name))) {
                note(process, name, value);
            }
        });
    }

    private void note(SampledProcess process, String key, String value) {
        process.notes.put(key, value);
        writer.accept(new SpoolRecord.Note(key, value, process.pid));
    }
}

package io.inferscope.collectors.run;

import io.inferscope.collectors.os.Kernel;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.timeline.ShellText;
import io.inferscope.timeline.redact.PrivateText;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Says in a spool which run it holds: the command, without what looks like a secret, and the machine. */
final class RunNotes {
    private static final int MOST_CHARACTERS = 400;

    private RunNotes() {}

    /** Writes the notes of a run of {@code command}. */
    static void write(Kernel kernel, List<String> command, Consumer<SpoolRecord> writer) {
        String words = PrivateText.withoutSecrets(ShellText.command(command));
        String shown = words.length() <= MOST_CHARACTERS ? words : words.substring(0, MOST_CHARACTERS) + "...";
        writer.accept(new SpoolRecord.Note("command", shown, 0));
        note("host.name", StatusFile.text(kernel, "/proc/sys/kernel/hostname").strip(), writer);
        Optional<String> cpu = StatusFile.text(kernel, "/proc/cpuinfo")
                .lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst();
        int cpus = Runtime.getRuntime().availableProcessors();
        note("host.cpu", cpu.map(name -> cpus + " of " + name).orElse(cpus + " CPUs"), writer);
    }

    /** Writes the notes of a program that runs already. */
    static void write(Kernel kernel, int pid, Consumer<SpoolRecord> writer) {
        String command = StatusFile.text(kernel, "/proc/" + pid + "/cmdline");
        write(kernel, List.of(command.split("\0")), writer);
    }

    private static void note(String key, String value, Consumer<SpoolRecord> writer) {
        if (!value.isEmpty()) {
            writer.accept(new SpoolRecord.Note(key, value, 0));
        }
    }
}

package io.inferscope.collectors.run;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.timeline.redact.PrivateText;
import io.inferscope.timeline.text.ShellText;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says in a spool which run it holds: the command and the machine. Any word of a command may be a secret, so only those
 * are kept that are none by their form.
 */
final class RunNotes {
    private static final int MOST_CHARACTERS = 400;
    private static final String LEFT_OUT = "*";
    private static final Pattern NUMBER = Pattern.compile("[\\d.]{1,9}[A-Za-z%]{0,2}");
    private static final Pattern OPTION = Pattern.compile("--?[A-Za-z][A-Za-z-]{0,40}");

    /** A command of a program, such as {@code serve}; too short and too plain to be a key. */
    private static final Pattern PLAIN = Pattern.compile("[a-z]{1,12}");

    /** Of a word with a value: the option or variable and {@code =}. */
    private static final Pattern NAME = Pattern.compile("(--?)?[A-Za-z_][A-Za-z_-]{0,40}=");

    private RunNotes() {}

    /** Writes the notes of a run of {@code command}. */
    static void write(OperatingSystem system, List<String> command, Consumer<SpoolRecord> writer) {
        String words = shown(command);
        String shown = words.length() <= MOST_CHARACTERS ? words : words.substring(0, MOST_CHARACTERS) + "...";
        writer.accept(new SpoolRecord.Note("command", shown, 0));
        note("host.name", StatusFile.text(system, "/proc/sys/kernel/hostname").strip(), writer);
        Optional<String> cpu = StatusFile.text(system, "/proc/cpuinfo")
                .lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst();
        int cpus = Runtime.getRuntime().availableProcessors();
        note("host.cpu", cpu.map(name -> cpus + " of " + name).orElse(cpus + " CPUs"), writer);
    }

    /** Returns a command: the program, options, numbers, files that exist and plain words; {@code *} for any other word. */
    static String shown(List<String> command) {
        StringBuilder text = new StringBuilder(ShellText.quoted(command.get(0)));
        boolean isValue = false;
        for (String word : command.subList(1, command.size())) {
            Matcher name = NAME.matcher(word);
            String named = name.lookingAt() ? name.group() : "";
            String value = word.substring(named.length());
            boolean isOption = OPTION.matcher(word).matches();
            boolean kept = isOption
                    || NUMBER.matcher(value).matches()
                    || isFile(value)
                    || (!isValue && named.isEmpty() && PLAIN.matcher(value).matches());
            text.append(' ').append(named).append(kept ? ShellText.quoted(value) : LEFT_OUT);
            isValue = isOption;
        }
        return PrivateText.withoutSecrets(text.toString())
                .replace(PrivateText.REDACTED, LEFT_OUT); // Such as a password of digits.
    }

    private static boolean isFile(String word) {
        try {
            return word.contains(".") && Files.isRegularFile(Path.of(word));
        } catch (InvalidPathException noPath) {
            return false;
        }
    }

    /** Writes the notes of a program that runs already. */
    static void write(OperatingSystem system, int pid, Consumer<SpoolRecord> writer) {
        String command = StatusFile.text(system, "/proc/" + pid + "/cmdline");
        write(system, List.of(command.split("\0")), writer);
    }

    private static void note(String key, String value, Consumer<SpoolRecord> writer) {
        if (!value.isEmpty()) {
            writer.accept(new SpoolRecord.Note(key, value, 0));
        }
    }
}

package io.inferscope.timeline.text;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Words of commands that messages suggest, such that a shell takes each for one word, whatever is in it; names of signals. */
public final class ShellText {
    /** The signals that end programs in practice; signal(7), numbers of Linux on x86-64 and AArch64. */
    private static final Map<Integer, String> SIGNALS = Map.ofEntries(
            Map.entry(1, "SIGHUP"),
            Map.entry(2, "SIGINT"),
            Map.entry(3, "SIGQUIT"),
            Map.entry(4, "SIGILL"),
            Map.entry(5, "SIGTRAP"),
            Map.entry(6, "SIGABRT"),
            Map.entry(7, "SIGBUS"),
            Map.entry(8, "SIGFPE"),
            Map.entry(9, "SIGKILL"),
            Map.entry(10, "SIGUSR1"),
            Map.entry(11, "SIGSEGV"),
            Map.entry(12, "SIGUSR2"),
            Map.entry(13, "SIGPIPE"),
            Map.entry(14, "SIGALRM"),
            Map.entry(15, "SIGTERM"),
            Map.entry(24, "SIGXCPU"),
            Map.entry(25, "SIGXFSZ"),
            Map.entry(31, "SIGSYS"));

    private ShellText() {}

    /** Returns the name of a signal, empty for one that ends no program. */
    public static String signal(int number) {
        return SIGNALS.getOrDefault(number, "");
    }

    /** Returns a command of several words. */
    public static String command(List<String> words) {
        return words.stream().map(ShellText::quoted).collect(Collectors.joining(" "));
    }

    /** Returns a word: in single quotes, unless a shell sees nothing in it. */
    public static String quoted(String word) {
        return word.matches("[A-Za-z0-9_./:,=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** Returns the name of a file: one that begins with a dash would be taken for an option. */
    public static String file(String name) {
        return quoted(name.startsWith("-") ? "./" + name : name);
    }
}

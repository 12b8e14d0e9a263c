package io.inferscope.collectors.doctor;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The doctor's view of a command.
 *
 * @param words the command, empty to examine the machine only
 * @param file the file that would be executed, empty for none
 * @param interpreter the Python interpreter of the command; without a command, python3 on PATH; empty for none
 * @param flags the interpreter's one-letter options
 * @param problem why it cannot be executed, empty when it can
 */
record Program(List<String> words, String file, String interpreter, String flags, String problem) {
    private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"; // as the command's own look-up
    private static final Pattern PYTHON = Pattern.compile("(python|pypy)(\\d+(\\.\\d+)*)?[a-z]*");
    private static final Pattern SHEBANG = Pattern.compile("#!\\s*(\\S+)(?:\\s+(?:-S\\s+)?(\\S+))?.*");

    /** Installers' replacement for a shebang that is too long: a shell script that is also a Python program. */
    private static final Pattern LONG_SHEBANG = Pattern.compile("'''exec' \"?([^\"]+?)\"? \"\\$0\" \"\\$@\".*");

    private static final Pattern FLAGS = Pattern.compile("-[A-Za-z]+");
    private static final Set<String> LAUNCHERS =
            Set.of("env", "nice", "ionice", "nohup", "numactl", "taskset", "time", "stdbuf", "timeout");
    private static final int MAX_CHAIN = 4;

    /** Describes a command; {@code folder} is the working folder, which relative names start from. */
    static Program of(Machine machine, List<String> words, Path folder) {
        if (words.isEmpty()) {
            return new Program(words, "", find(machine, "python3", folder), "", "");
        }
        List<String> command = words.get(0).endsWith(".py") && !machine.isProgram(absolute(words.get(0), folder))
                ? prepend("python3", words)
                : words;
        String file = find(machine, command.get(0), folder);
        if (file.isEmpty()) {
            return new Program(words, "", "", "", command.get(0) + " is not found on PATH or cannot be executed");
        }
        List<String> rest = withoutLaunchers(command);
        String interpreter = interpreter(machine, find(machine, rest.get(0), folder), folder, 0);
        return new Program(words, file, interpreter, flags(rest), "");
    }

    boolean isAsked() {
        return !words.isEmpty();
    }

    boolean isPython() {
        return !interpreter.isEmpty();
    }

    private static List<String> prepend(String first, List<String> words) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(words);
        return all;
    }

    /** Removes {@code env A=1 nice -n 5} and the like before the actual program. */
    private static List<String> withoutLaunchers(List<String> words) {
        int at = 0;
        while (at + 1 < words.size() && LAUNCHERS.contains(baseName(words.get(at)))) {
            at++;
            while (at + 1 < words.size() && words.get(at).matches("-.*|.*=.*|[0-9.,:-]+[smhd]?")) {
                at++;
            }
        }
        return words.subList(at, words.size());
    }

    private static String interpreter(Machine machine, String file, Path folder, int depth) {
        if (file.isEmpty() || depth > MAX_CHAIN) {
            return "";
        }
        if (PYTHON.matcher(baseName(file)).matches()) {
            return file;
        }
        List<String> lines = machine.text(file).lines().limit(2).toList();
        if (lines.size() > 1) {
            Matcher exec = LONG_SHEBANG.matcher(lines.get(1));
            if (exec.matches()) {
                return interpreter(machine, exec.group(1), folder, depth + 1);
            }
        }
        Matcher shebang = SHEBANG.matcher(lines.isEmpty() ? "" : lines.get(0));
        if (!shebang.matches()) {
            return "";
        }
        boolean env = baseName(shebang.group(1)).equals("env") && shebang.group(2) != null;
        String next = env ? find(machine, shebang.group(2), folder) : shebang.group(1);
        return PYTHON.matcher(baseName(next)).matches() ? next : "";
    }

    private static String flags(List<String> words) {
        StringBuilder flags = new StringBuilder();
        if (PYTHON.matcher(baseName(words.get(0))).matches()) {
            for (String word : words.subList(1, words.size())) {
                if (!FLAGS.matcher(word).matches() || word.startsWith("-m") || word.startsWith("-c")) {
                    break;
                }
                flags.append(word, 1, word.length());
            }
        }
        return flags.toString();
    }

    private static String find(Machine machine, String name, Path folder) {
        if (name.indexOf('/') >= 0) {
            String path = absolute(name, folder);
            return machine.isProgram(path) ? path : "";
        }
        String path = machine.variable("PATH");
        for (String place : (path.isEmpty() ? DEFAULT_PATH : path).split(":", -1)) {
            String file = absolute((place.isEmpty() ? "." : place) + "/" + name, folder);
            if (machine.isProgram(file)) {
                return file;
            }
        }
        return "";
    }

    private static String absolute(String name, Path folder) {
        try {
            return folder.resolve(name).normalize().toString();
        } catch (InvalidPathException impossible) {
            return "/\uFFFD";
        }
    }

    static String baseName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}

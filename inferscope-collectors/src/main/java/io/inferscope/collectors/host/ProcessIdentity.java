package io.inferscope.collectors.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity of a process, from its command line and environment. Both may contain secrets, so only these parts are
 * kept: the base name of a script or module, or the process' own title; and numbers of variables named after ranks.
 *
 * @param program base name of script, module or executable, or the first word of the process' own title
 * @param role the purpose of a library's helper process, or empty
 */
record ProcessIdentity(String program, String role) {
    private static final Pattern INTERPRETER = Pattern.compile("(python|pypy)[\\d.]*[a-z]*");
    private static final Set<String> OPTIONS_WITH_VALUE = Set.of("-W", "-X", "--check-hash-based-pycs");

    /**
     * The code that multiprocessing's helpers run by {@code -c} (CPython's multiprocessing/spawn.py, forkserver.py,
     * resource_tracker.py).
     */
    private static final Map<String, String> HELPERS = Map.of(
            "from multiprocessing.spawn import spawn_main", "spawn",
            "from multiprocessing.forkserver import main", "forkserver",
            "from multiprocessing.resource_tracker import main", "resource_tracker",
            "from multiprocessing.semaphore_tracker import main", "resource_tracker");

    /**
     * Titles such as {@code VLLM::EngineCore}, {@code sglang::scheduler_TP0}, {@code ray::Worker},
     * {@code gunicorn: master}.
     */
    private static final Pattern TITLE = Pattern.compile("[A-Za-z][\\w.-]*(::[\\w.-]+(<[\\w.-]+>)?|:(?= ))");

    private static final Pattern RANK = Pattern.compile(
            "(?:LOCAL_|NODE_|GROUP_)?RANK|(?:LOCAL_)?WORLD_SIZE|(?:VLLM|SGLANG)_(?=[A-Z_]*RANK)[A-Z_]*+");
    private static final Pattern SMALL_NUMBER = Pattern.compile("-?\\d{1,6}");
    private static final int MAX_NAME = 64;

    /** Compares quickly: a record's own {@code equals} is linked at its first call, which takes milliseconds. */
    boolean isSame(ProcessIdentity that) {
        return program.equals(that.program) && role.equals(that.role);
    }

    /**
     * Identifies a process.
     *
     * @param executable base name of its executable
     * @param commandLine the words of its command line; empty for a kernel thread or a zombie
     */
    static ProcessIdentity of(String executable, List<String> commandLine) {
        if (commandLine.isEmpty()) {
            return new ProcessIdentity(executable, "");
        }
        Matcher title = TITLE.matcher(commandLine.get(0));
        if (title.lookingAt() && !commandLine.get(0).startsWith("/")) {
            String word = title.group();
            return new ProcessIdentity(cut(word.endsWith(":") ? word.substring(0, word.length() - 1) : word), "");
        }
        return INTERPRETER.matcher(executable).matches() ? ofPython(executable, commandLine) : of(executable);
    }

    private static ProcessIdentity of(String executable) {
        return new ProcessIdentity(executable, "");
    }

    private static ProcessIdentity ofPython(String executable, List<String> words) {
        for (int i = 1; i < words.size(); i++) {
            String word = words.get(i);
            String next = i + 1 < words.size() ? words.get(i + 1) : "";
            if (OPTIONS_WITH_VALUE.contains(word)) {
                i++;
            } else if (word.equals("-c")) {
                return new ProcessIdentity(executable, helper(next));
            } else if (word.equals("-m")) {
                return of(next.matches("[\\w.]+") ? cut(next) : executable);
            } else if (!word.startsWith("-")) {
                String script = cut(word.substring(word.lastIndexOf('/') + 1));
                return of(script.isEmpty() ? executable : script);
            }
        }
        return of(executable);
    }

    private static String helper(String code) {
        return HELPERS.entrySet().stream()
                .filter(helper -> code.startsWith(helper.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    private static String cut(String name) {
        return name.length() > MAX_NAME ? name.substring(0, MAX_NAME) : name;
    }

    /** Returns the ranks in an environment, by lower-case name; entries end with a NUL. */
    static Map<String, String> ranks(String environment) {
        Map<String, String> ranks = new TreeMap<>();
        for (String entry : environment.split("\0", -1)) {
            int equals = entry.indexOf('=');
            if (equals > 0
                    && RANK.matcher(entry.substring(0, equals)).matches()
                    && SMALL_NUMBER.matcher(entry.substring(equals + 1)).matches()) {
                ranks.put(entry.substring(0, equals).toLowerCase(java.util.Locale.ROOT), entry.substring(equals + 1));
            }
        }
        return ranks;
    }

    /** Splits a command line as {@code /proc/PID/cmdline} has it. */
    static List<String> words(String commandLine) {
        List<String> words = new ArrayList<>(List.of(commandLine.split("\0", -1)));
        while (!words.isEmpty() && words.get(words.size() - 1).isEmpty()) {
            words.remove(words.size() - 1);
        }
        return words;
    }
}

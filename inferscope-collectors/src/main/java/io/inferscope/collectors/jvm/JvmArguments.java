package io.inferscope.collectors.jvm;

import io.inferscope.timeline.files.KnowledgeTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Searches all sources of a JVM's flags for one flag: its command line, the environment variables for flags, and the
 * files that they name. Nothing is kept. Sources: java(1), "Launcher Argument Files", {@code JDK_JAVA_OPTIONS} and
 * {@code -XX:Flags}; JDK, src/java.base/share/native/libjli/args.c.
 */
final class JvmArguments {
    /** After {@code -XX:}, or on a separate line in a file of flags. */
    private static final String FLAG = "+DisableAttachMechanism";

    private static final List<String> VARIABLES = List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");
    private static final List<String> FILES = List.of("-XX:Flags=", "-XX:VMOptionsFile=");

    /** Options of the launcher whose value is the next word: args.c, IsWhiteSpaceOption. */
    private static final Set<String> WITH_VALUE =
            Set.copyOf(KnowledgeTable.read(JvmArguments.class, "launcher-options.tsv", row -> row[0]));

    /** Options after whose value all words belong to the program. */
    private static final Set<String> LAST = Set.of("-jar", "-m", "--module");

    /** Files that name each other: the JVM reads one. */
    private static final int MOST_FILES = 100;

    private final Function<String, Optional<String>> files;
    private final Set<String> seen = new HashSet<>();
    private String why = "";

    private JvmArguments(Function<String, Optional<String>> files) {
        this.files = files;
    }

    /**
     * Returns why the JVM forbids, or may forbid, attaching; empty if it allows it.
     *
     * @param commandLine the words, the program first
     * @param environment {@code NAME=value} each
     * @param files the text of a file that the JVM names, empty when it cannot be read
     */
    static String forbidding(
            List<String> commandLine, List<String> environment, Function<String, Optional<String>> files) {
        JvmArguments arguments = new JvmArguments(files);
        commandLine.stream().filter(word -> word.contains("-XX:" + FLAG)).forEach(arguments::word); // Launchers differ.
        arguments.words(commandLine.subList(Math.min(1, commandLine.size()), commandLine.size()));
        for (String variable : environment) {
            int end = variable.indexOf('=');
            if (end > 0 && VARIABLES.contains(variable.substring(0, end))) {
                arguments.text(variable.substring(end + 1));
            }
        }
        return arguments.why;
    }

    /** Words after the main class belong to the program. */
    private void words(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (LAST.contains(word) || !(word.startsWith("-") || isFile(word))) {
                return;
            }
            word(word);
            i += WITH_VALUE.contains(word) ? 1 : 0;
        }
    }

    private static boolean isFile(String word) {
        return word.length() > 1 && word.startsWith("@") && !word.startsWith("@@");
    }

    private void word(String word) {
        if (word.contains(FLAG)) {
            why = "it runs with -XX:" + FLAG;
        } else if (isFile(word)) {
            file(word.substring(1), "an @argfile");
        } else {
            FILES.stream()
                    .filter(word::startsWith)
                    .forEach(option -> file(word.substring(option.length()), "the file of " + option.replace("=", "")));
        }
    }

    private void file(String name, String what) {
        if (seen.size() < MOST_FILES && seen.add(name)) {
            Optional<String> text = files.apply(name);
            if (text.isPresent()) {
                text(text.get());
            } else if (why.isEmpty()) {
                why = "whether it runs with -XX:" + FLAG + " is not known: " + what + " cannot be read";
            }
        }
    }

    /** Quotes may be anywhere in a word, and a line that ends in a backslash continues on the next one. */
    private void text(String text) {
        String plain = text.replaceAll("\\\\\r?\n\\s*", "").replaceAll("[\"']", "");
        List<String> words = new ArrayList<>(List.of(plain.split("\\s+")));
        words.forEach(this::word);
    }
}

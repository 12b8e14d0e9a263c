package io.inferscope.timeline.text;

import java.util.List;
import java.util.stream.Collectors;

/** Words of commands that messages suggest, such that a shell takes each for one word, whatever is in it. */
public final class ShellText {
    private ShellText() {}

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

package io.inferscope.formats.archive;

import java.util.ArrayList;
import java.util.List;

/** Names in a message: the first ones, and how many more there are. */
final class NameList {
    private static final int SHOWN = 5;
    /** Longest name that is shown whole: NAME_MAX of Linux. */
    private static final int MAX_CHARACTERS = 255;

    private final List<String> first = new ArrayList<>();
    private int count;

    static NameList of(Iterable<String> names) {
        NameList all = new NameList();
        names.forEach(all::add);
        return all;
    }

    void add(String name) {
        if (count++ < SHOWN) {
            first.add(shortened(name));
        }
    }

    static String shortened(String name) {
        return name.length() <= MAX_CHARACTERS
                ? name
                : name.substring(0, MAX_CHARACTERS) + "... (" + name.length() + " characters)";
    }

    @Override
    public String toString() {
        return String.join(", ", first) + (count > SHOWN ? " and " + (count - SHOWN) + " more" : "");
    }
}

package io.inferscope.formats.common;

import io.inferscope.timeline.importer.FrameText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of stack frames in one form: {@code file(line): function} where the line is known, as Kineto writes them. */
public final class FrameNames {
    /** {@code function (file.py:31)}: py-spy's raw format. */
    private static final Pattern WITH_PLACE = Pattern.compile("(.+) \\((.+):(\\d{1,9})\\)");

    /** async-profiler's marks of how a frame was compiled: its documentation, option {@code ann}. */
    private static final Pattern COMPILED = Pattern.compile("_\\[[0-9a-z]\\]$");

    private static final Pattern JAVA = Pattern.compile("[\\w$]+(/[\\w$]+)+\\.[\\w$<>]+");

    private FrameNames() {}

    /** Returns the name of a function at a place; {@code line} below 1 and an empty file mean that they are not known. */
    public static String of(String function, String file, int line) {
        return FrameText.of(function, file, line);
    }

    /** Returns the name of a frame of a folded stack. */
    public static String ofFolded(String frame) {
        Matcher place = WITH_PLACE.matcher(frame);
        if (place.matches()) {
            return of(place.group(1), place.group(2), Integer.parseInt(place.group(3)));
        }
        String plain = COMPILED.matcher(frame).replaceFirst("");
        return JAVA.matcher(plain).matches() ? plain.replace('/', '.') : plain;
    }
}

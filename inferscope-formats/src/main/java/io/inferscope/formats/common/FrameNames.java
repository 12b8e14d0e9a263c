package io.inferscope.formats.common;

import io.inferscope.timeline.importer.FrameText;
import java.util.regex.Pattern;

/** The common form of stack frames' names: {@code file(line): function} if the line is known, as in Kineto. */
public final class FrameNames {
    /** async-profiler's suffixes for the compilation of a frame: its documentation, option {@code ann}. */
    private static final Pattern COMPILED = Pattern.compile("_\\[[0-9a-z]\\]$");

    private static final Pattern JAVA = Pattern.compile("(?!.*//)[\\w$]++/[\\w$/]*+(?<!/)\\.[\\w$<>]++");

    private static final Pattern LINE_AND_END = Pattern.compile(":[0-9]{1,9}\\)");

    private FrameNames() {}

    /**
     * Returns the name of a function at a place; {@code line} below 1 and an empty file mean that they are not known.
     */
    public static String of(String function, String file, int line) {
        return FrameText.of(function, file, line);
    }

    /** Returns the name of a frame of a folded stack. */
    public static String ofFolded(String frame) {
        // function (file.py:31): py-spy's raw format.
        int colon = frame.lastIndexOf(':');
        int open = frame.lastIndexOf(" (", colon - 3);
        if (open > 0
                && LINE_AND_END.matcher(frame).region(colon, frame.length()).matches()) {
            int line = Integer.parseInt(frame, colon + 1, frame.length() - 1, 10);
            return of(frame.substring(0, open), frame.substring(open + 2, colon), line);
        }
        String plain = COMPILED.matcher(frame).replaceFirst("");
        return JAVA.matcher(plain).matches() ? plain.replace('/', '.') : plain;
    }
}

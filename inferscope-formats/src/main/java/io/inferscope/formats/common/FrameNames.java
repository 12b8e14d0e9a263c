package io.inferscope.formats.common;

import io.inferscope.timeline.Frame;
import java.util.regex.Pattern;

/** The names of frames that profilers of stacks write. */
public final class FrameNames {
    /** async-profiler's suffixes for the compilation of a frame: its documentation, option {@code ann}. */
    private static final Pattern COMPILED = Pattern.compile("_\\[[0-9a-z]\\]$");

    private static final Pattern JAVA = Pattern.compile("(?!.*//)[\\w$]++/[\\w$/]*+(?<!/)\\.[\\w$<>]++");

    private FrameNames() {}

    /** Returns the text of a frame of a folded stack. */
    public static String ofFolded(String frame) {
        String called = Frame.textOfCall(frame);
        if (!called.isEmpty()) {
            return called;
        }
        String plain = COMPILED.matcher(frame).replaceFirst("");
        return JAVA.matcher(plain).matches() ? plain.replace('/', '.') : plain;
    }
}

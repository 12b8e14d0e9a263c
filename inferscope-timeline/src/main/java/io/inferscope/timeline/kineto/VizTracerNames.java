package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Frame;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of functions in traces of VizTracer, in the form of frames: its snaptrace.c. */
final class VizTracerNames {
    /** Of a function's entry and exit. */
    static final String CATEGORY = "fee";

    private static final Pattern BUILT_IN = Pattern.compile("([\\w.]+)\\.(\\w+)");

    private VizTracerNames() {}

    /** Returns the frame of {@code work (/srv/app.py:12)}, or of a built-in function such as {@code time.sleep}. */
    static String frame(String name) {
        String called = Frame.textOfCall(name);
        Matcher builtIn = BUILT_IN.matcher(name);
        return !called.isEmpty()
                ? called
                : builtIn.matches() ? "<built-in> " + builtIn.group(1) + " " + builtIn.group(2) : name;
    }
}

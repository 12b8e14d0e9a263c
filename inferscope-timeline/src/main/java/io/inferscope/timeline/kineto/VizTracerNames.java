package io.inferscope.timeline.kineto;

import io.inferscope.timeline.importer.FrameText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of functions in traces of VizTracer, in the form of frames: its snaptrace.c. */
final class VizTracerNames {
    /** Of a function's entry and exit. */
    static final String CATEGORY = "fee";

    private static final Pattern LINE = Pattern.compile("\\d{1,9}\\)");
    private static final Pattern BUILT_IN = Pattern.compile("([\\w.]+)\\.(\\w+)");

    private VizTracerNames() {}

    /** Returns the frame of {@code work (/srv/app.py:12)}, or of a built-in function such as {@code time.sleep}. */
    static String frame(String name) {
        int colon = name.lastIndexOf(':');
        int file = name.lastIndexOf(" (", colon - 3);
        String line = name.substring(colon + 1);
        if (file > 0 && LINE.matcher(line).matches()) {
            return FrameText.of(
                    name.substring(0, file),
                    name.substring(file + 2, colon),
                    Integer.parseInt(line, 0, line.length() - 1, 10));
        }
        Matcher builtIn = BUILT_IN.matcher(name);
        return builtIn.matches() ? "<built-in> " + builtIn.group(1) + " " + builtIn.group(2) : name;
    }
}

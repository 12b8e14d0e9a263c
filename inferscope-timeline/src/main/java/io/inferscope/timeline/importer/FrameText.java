package io.inferscope.timeline.importer;

/** The common form of stack frames' names: {@code file(line): function} if the line is known, as in Kineto. */
public final class FrameText {
    private FrameText() {}

    /**
     * Returns the name of a function at a place; {@code line} below 1 and an empty file mean that they are not known.
     */
    public static String of(String function, String file, int line) {
        if (file.isEmpty()) {
            return function;
        }
        return line > 0
                ? file + '(' + line + "): " + function
                : function + " [" + file.substring(file.lastIndexOf('/') + 1) + ']';
    }
}

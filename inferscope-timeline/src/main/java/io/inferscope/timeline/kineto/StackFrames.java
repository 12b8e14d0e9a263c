package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The dictionary {@code stackFrames} of a trace, and the events that refer to it by {@code sf}. The dictionary may be
 * before or after the events, with its frames in any order, so stacks are built at the end.
 *
 * <p>Source: Trace Event Format, sections "Global Stack Traces" and "Stack Traces of Events".
 */
final class StackFrames {
    private static final String PREFIX = "stackFrames.";
    private static final int UNKNOWN = -2;

    private final TimelineBuilder builder;
    private final Map<String, Entry> frames = new HashMap<>();
    private int[] rows = new int[16];
    private String[] ids = new String[16];
    private int count;

    private static final class Entry {
        private String name = "";
        private String parent = "";

        /** Our exporter states the language where the name does not tell it. */
        private String language = "";

        private int stack = UNKNOWN;
    }

    StackFrames(TimelineBuilder builder) {
        this.builder = builder;
    }

    void clear() {
        frames.clear();
        count = 0;
    }

    /** Reads a property such as {@code stackFrames.5.name}; returns whether it belongs to a frame. */
    boolean take(String path, String value) {
        int dot = path.lastIndexOf('.');
        if (!path.startsWith(PREFIX) || dot < PREFIX.length()) {
            return false;
        }
        Entry frame = frames.computeIfAbsent(path.substring(PREFIX.length(), dot), id -> new Entry());
        if (path.endsWith(".name")) {
            frame.name = value;
        } else if (path.endsWith(".parent")) {
            frame.parent = value;
        } else if (path.endsWith(".category")) {
            frame.language = value;
        }
        return true;
    }

    /** Notes that a row's stack is the one that ends in a frame. */
    void row(int handle, String frameId) {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, count * 2);
            ids = Arrays.copyOf(ids, count * 2);
        }
        rows[count] = handle;
        ids[count++] = frameId;
    }

    /** Sets the rows' stacks. */
    void finish() {
        for (int i = 0; i < count; i++) {
            int stack = stack(ids[i]);
            if (stack >= 0) {
                builder.attribute(rows[i], Attribute.STACK, stack);
            }
        }
    }

    /** Returns the stack that ends in a frame, -1 for none. Each frame is built once; a circle of parents is cut. */
    private int stack(String id) {
        Deque<Entry> missing = new ArrayDeque<>();
        String at = id;
        int stack = UNKNOWN;
        while (stack == UNKNOWN) {
            Entry frame = at.isEmpty() ? null : frames.get(at);
            if (frame == null) {
                builder.stats().count(Reason.UNKNOWN_FRAME, at.isEmpty() ? 0 : 1, -1, "frame " + at);
                stack = -1;
            } else if (frame.stack != UNKNOWN) {
                stack = frame.stack;
            } else {
                frame.stack = -1; // A ring of parents ends here.
                missing.push(frame);
                at = frame.parent;
            }
        }
        for (Entry frame : missing) {
            int name = frame.language.isEmpty()
                    ? builder.name(frame.name)
                    : builder.frame(frame.name, Frame.of(frame.name, frame.language));
            stack = builder.stack(stack, name);
            frame.stack = stack;
        }
        return stack;
    }
}

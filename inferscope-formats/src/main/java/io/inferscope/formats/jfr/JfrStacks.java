package io.inferscope.formats.jfr;

import io.inferscope.timeline.Frame;
import io.inferscope.timeline.TimelineBuilder;
import java.util.List;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;

/**
 * Stacks of a flight recording. It contains class, method and line; the file is assumed to be named after the outermost
 * class, as the Java compiler requires for public classes.
 */
final class JfrStacks {
    private final TimelineBuilder builder;
    private int innermostName;

    JfrStacks(TimelineBuilder builder) {
        this.builder = builder;
    }

    /** Returns the id of a stack, -1 for one without frames. */
    int of(RecordedStackTrace trace) {
        List<RecordedFrame> frames = trace.getFrames();
        int stack = -1;
        for (int i = frames.size() - 1; i >= 0; i--) {
            innermostName = builder.name(name(frames.get(i)));
            stack = builder.stack(stack, innermostName);
        }
        return stack;
    }

    /** Returns the name id of the innermost frame of the last stack. */
    int innermostName() {
        return innermostName;
    }

    private static String name(RecordedFrame frame) {
        RecordedMethod method = frame.getMethod();
        if (method == null) {
            return "unknown method";
        }
        String type = method.getType() == null ? "" : method.getType().getName();
        String function = type.isEmpty() ? method.getName() : type + '.' + method.getName();
        int line = frame.getLineNumber();
        return line <= 0 ? function : Frame.text(function, file(type), line);
    }

    private static String file(String type) {
        String simple = type.substring(type.lastIndexOf('.') + 1);
        int inner = simple.indexOf('$');
        String outermost = inner <= 0 ? simple : simple.substring(0, inner);
        return outermost.isEmpty() ? "" : outermost + ".java";
    }
}

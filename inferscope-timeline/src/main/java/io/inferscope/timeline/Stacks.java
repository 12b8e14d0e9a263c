package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The call stacks of a timeline's samples, as a tree of frames: a stack is the id of its innermost frame, whose callers
 * are its ancestors. Stacks with equal outer frames share these, so a million samples need only their distinct frames.
 *
 * <p>Immutable. Ids run from 0; a stack's id is greater than its caller's.
 */
public final class Stacks {
    private final int[] callers;
    private final int[] frameNames;
    private final String[] names;

    /** Takes ownership of equally long arrays; {@code callers} holds -1 for outermost frames. */
    Stacks(int[] callers, int[] frameNames, String[] names) {
        this.callers = callers;
        this.frameNames = frameNames;
        this.names = names;
    }

    /** Returns how many stacks there are; ids are below it. */
    public int count() {
        return callers.length;
    }

    /** Returns the stack of the caller of a stack's innermost frame, -1 for an outermost frame. */
    public int caller(int stack) {
        return callers[stack];
    }

    /** Returns the name id of a stack's innermost frame. */
    public int frameNameId(int stack) {
        return frameNames[stack];
    }

    /** Returns a stack's innermost frame, such as {@code serve.py(31): generate}. */
    public String frame(int stack) {
        return names[frameNames[stack]];
    }

    /** Returns the frames of a stack, the outermost first. */
    public List<String> frames(int stack) {
        List<String> frames = new ArrayList<>();
        for (int at = stack; at >= 0; at = callers[at]) {
            frames.add(frame(at));
        }
        Collections.reverse(frames);
        return frames;
    }
}

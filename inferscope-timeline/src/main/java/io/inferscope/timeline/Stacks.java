package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The call stacks of a timeline's samples, as a tree of frames: a stack is the id of its innermost frame, whose callers
 * are its ancestors. Stacks with equal outer frames share these, so a million samples need only their distinct frames.
 *
 * <p>Ids run from 0; a stack's id is greater than its caller's. A frame is made of its name when it is first asked for,
 * unless the importer knew it, and then kept. Otherwise immutable, and thread-safe.
 */
public final class Stacks {
    private final int[] callers;
    private final int[] frameNames;
    private final String[] names;
    private final @Nullable Frame[] frames;

    /**
     * Takes ownership of equally long arrays; {@code callers} holds -1 for outermost frames.
     *
     * @param known frames by name id
     */
    Stacks(int[] callers, int[] frameNames, String[] names, Map<Integer, Frame> known) {
        this.callers = callers;
        this.frameNames = frameNames;
        this.names = names;
        this.frames = new Frame[names.length];
        known.forEach((name, frame) -> frames[name] = frame);
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

    /** Returns a stack's innermost frame. */
    public Frame frame(int stack) {
        return ofName(frameNames[stack]);
    }

    /** Returns the frame that a name stands for. */
    Frame ofName(int nameId) {
        Frame frame = frames[nameId];
        if (frame == null) {
            frame = Frame.of(names[nameId]);
            frames[nameId] = frame;
        }
        return frame;
    }

    /** Returns the text of a stack's innermost frame, such as {@code serve.py(31): generate}. */
    public String text(int stack) {
        return names[frameNames[stack]];
    }

    /** Returns the texts of the frames of a stack, the outermost first. */
    public List<String> frames(int stack) {
        List<String> frames = new ArrayList<>();
        for (int at = stack; at >= 0; at = callers[at]) {
            frames.add(text(at));
        }
        Collections.reverse(frames);
        return frames;
    }
}

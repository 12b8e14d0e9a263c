package io.inferscope.collectors.python;

import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The frames and stacks of a spool, each stored once. Stacks are a tree: one is its innermost frame and its caller's
 * stack. Looking up a stack that is known allocates nothing.
 */
final class StackTable {
    /** Most stacks. Beyond this number a sample is stored under its innermost known caller. */
    private static final int MAX_STACKS = 1 << 20;

    private static final int MAX_FRAMES = 1 << 18;
    private static final int PYTHON = 0; // FRAME of docs/spool-format.md
    private static final int NATIVE = 1;
    private static final int OTHER = 2;

    private final SpoolWriter writer;
    private final Map<Frame, Integer> frames = new HashMap<>();
    private long[] keys = new long[1 << 12]; // caller's stack and frame; 0 = free
    private int[] ids = new int[1 << 12];
    private long[] keysById = new long[1 << 12];
    private int stacks;
    private long cut;

    /** Replaces all frames beyond {@link #MAX_FRAMES}. */
    private static final Frame REST = new Frame("(functions beyond the first " + MAX_FRAMES + " lines)", "", 0);

    /**
     * Compared by hand-written methods: a record's own are linked at their first call, which takes milliseconds of the
     * start.
     */
    private record Frame(String function, String file, int line) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Frame that
                    && line == that.line
                    && function.equals(that.function)
                    && file.equals(that.file);
        }

        @Override
        public int hashCode() {
            return (function.hashCode() * 31 + file.hashCode()) * 31 + line;
        }
    }

    StackTable(SpoolWriter writer) {
        this.writer = writer;
    }

    /** Returns the id of a frame, from 1. */
    int frame(String function, String file, int line) {
        return frame(new Frame(function, file, line), PYTHON);
    }

    /** Returns the id of the frame of a native function at a line, from 1; line 0 = unknown. */
    int nativeFrame(String function, String file, int line) {
        return frame(new Frame(function, file, line), NATIVE);
    }

    /** Returns the id of the frame of a function in another language than Python, from 1. */
    int sourceFrame(String function, String file, int line) {
        return frame(new Frame(function, file, line), OTHER);
    }

    private int frame(Frame made, int language) {
        Frame frame = made;
        Integer known = frames.get(frame);
        if (known != null) {
            return known;
        }
        if (frames.size() == MAX_FRAMES) {
            frame = REST;
        } else if (frames.size() > MAX_FRAMES) {
            return MAX_FRAMES + 1;
        }
        int id = frames.size() + 1;
        frames.put(frame, id);
        writer.write(new SpoolRecord.Frame(id, frame.function(), frame.file(), frame.line(), language));
        return id;
    }

    /** Returns the id of the stack that adds a frame to {@code caller}, 0 = none. */
    int stack(int caller, int frame) {
        long key = ((long) caller << 32) | frame;
        int at = slot(key);
        if (keys[at] == key) {
            return ids[at];
        }
        if (stacks == MAX_STACKS) {
            cut++;
            return caller;
        }
        int id = next(key);
        keys[at] = key;
        ids[at] = id;
        writer.write(new SpoolRecord.Stack(id, caller, frame));
        if (stacks * 2 > keys.length) {
            grow();
        }
        return id;
    }

    private int next(long key) {
        stacks++;
        if (stacks == keysById.length) {
            keysById = Arrays.copyOf(keysById, 2 * stacks);
        }
        keysById[stacks] = key;
        return stacks;
    }

    /** Returns the id of a new stack, of which only the outer frames are known yet: those of {@code caller}, 0 = none. */
    int unfinished(int caller) {
        if (stacks == MAX_STACKS) {
            cut++;
            return caller;
        }
        int id = next((long) caller << 32);
        writer.write(new SpoolRecord.Stack(id, caller, 0));
        return id;
    }

    /** Makes an {@link #unfinished} stack equal to another one. */
    void finish(int unfinished, int stack) {
        long key = keysById[stack];
        writer.write(new SpoolRecord.Stack(unfinished, (int) (key >>> 32), (int) key));
    }

    /** Writes a fact about a process. */
    void note(SpoolRecord note) {
        writer.write(note);
    }

    /** Returns how many samples were shortened because the tree is full. */
    long cut() {
        return cut;
    }

    private int slot(long key) {
        int mask = keys.length - 1;
        int at = (int) ((key * 0x9e37_79b9_7f4a_7c15L) >>> 32) & mask;
        while (keys[at] != 0 && keys[at] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldIds = ids;
        keys = new long[oldKeys.length * 2];
        ids = Arrays.copyOf(ids, oldIds.length * 2);
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int at = slot(oldKeys[i]);
                keys[at] = oldKeys[i];
                ids[at] = oldIds[i];
            }
        }
    }
}

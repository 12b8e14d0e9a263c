package io.inferscope.timeline;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Call stacks in the order they were added; equal stacks have one id. */
final class StackStore {
    private final Map<Long, Integer> ids = new HashMap<>();
    private int[] callers = new int[64];
    private int[] frameNames = new int[64];
    private int size;

    /** By name id: the frames that importers knew. */
    private final Map<Integer, Frame> frames = new HashMap<>();

    void clear() {
        ids.clear();
        frames.clear();
        size = 0;
    }

    void frame(int nameId, Frame frame) {
        frames.putIfAbsent(nameId, frame);
    }

    int intern(int caller, int nameId) {
        if (caller < -1 || caller >= size) {
            throw new IllegalArgumentException("no such stack: " + caller);
        }
        return ids.computeIfAbsent((long) caller << 32 | nameId, frame -> {
            if (size == callers.length) {
                callers = Arrays.copyOf(callers, size * 2);
                frameNames = Arrays.copyOf(frameNames, size * 2);
            }
            callers[size] = caller;
            frameNames[size] = nameId;
            return size++;
        });
    }

    int frameNameId(int stack) {
        return frameNames[stack];
    }

    Stacks frozen(String[] names) {
        return new Stacks(Arrays.copyOf(callers, size), Arrays.copyOf(frameNames, size), names, frames);
    }
}

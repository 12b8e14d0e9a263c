package io.inferscope.timeline.kineto;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The begin events of one thread without an end yet. An end event closes the innermost open range that has its name or
 * no name; an end without a name closes the innermost one.
 *
 * <p>Each range is on the stack of all ranges and on the stack of its name, whose top is always the innermost open
 * range of that name. A range that is closed below others stays on the stack of all ranges until these are removed. So
 * each event takes constant time on average.
 */
final class OpenRanges {
    private static final String NO_NAME = "";

    private final Deque<Range> all = new ArrayDeque<>();
    private final Map<String, Deque<Range>> byName = new HashMap<>();
    private int begun;

    /** Receives open ranges. */
    interface Visitor {
        void range(int row, String name);
    }

    private static final class Range {
        private final int row;
        private final String name;
        private final int order;
        private boolean closed;

        Range(int row, String name, int order) {
            this.row = row;
            this.name = name;
            this.order = order;
        }
    }

    void begin(int row, String name) {
        Range range = new Range(row, name, begun++);
        all.push(range);
        byName.computeIfAbsent(name, n -> new ArrayDeque<>()).push(range);
    }

    /** Returns whether all that began have ended. */
    boolean isEmpty() {
        while (!all.isEmpty() && all.element().closed) {
            all.pop();
        }
        return all.isEmpty();
    }

    /** Closes the range that belongs to an end event of this name and returns its row, -1 if there is none. */
    int end(String name) {
        if (isEmpty()) {
            return -1;
        }
        Range match = name.isEmpty() ? all.peek() : inner(top(name), top(NO_NAME));
        if (match == null) {
            return -1;
        }
        match.closed = true;
        Deque<Range> named = byName.get(match.name);
        if (named != null) {
            named.pop();
        }
        return match.row;
    }

    private @Nullable Range top(String name) {
        Deque<Range> named = byName.get(name);
        return named == null ? null : named.peek();
    }

    private static @Nullable Range inner(@Nullable Range a, @Nullable Range b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.order > b.order ? a : b;
    }

    /** Passes the open ranges, the innermost first. */
    void forEach(Visitor visitor) {
        for (Range range : all) {
            if (!range.closed) {
                visitor.range(range.row, range.name);
            }
        }
    }
}

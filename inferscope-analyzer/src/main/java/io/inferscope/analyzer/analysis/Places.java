package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;

/**
 * Where in the user's code rows are: {@code file:line function} of the innermost user frame around each.
 *
 * <p>Which row says it is remembered for every row on the way, so that asking for all rows takes linear time; the words exist once for
 * each function, however many rows it has.
 */
final class Places {
    private static final int NOBODY = 1;
    private static final int FIRST = 2;

    private final Timeline timeline;
    private final SampledStacks stacks;

    /** The row that says where a row is, plus {@link #FIRST}; {@link #NOBODY} where none does, 0 where nobody asked. */
    private final int[] tellers;

    private final ByName<Boolean> plumbing;
    private final ByName<String> functions;
    private final Map<Integer, String> frames = new HashMap<>();

    Places(Timeline timeline, SampledStacks stacks) {
        this.timeline = timeline;
        this.stacks = stacks;
        this.tellers = new int[timeline.rowCount()];
        this.plumbing = new ByName<>(id -> NamePatterns.isPlumbing(timeline.text(id)));
        this.functions = new ByName<>(id -> place(timeline.text(id)));
    }

    /** Returns {@code file:line function} of the innermost user frame around a row, empty when no frame was recorded. */
    String where(int row) {
        if (row < 0) {
            return "";
        }
        if (timeline.kind(row) == RowKind.STACK_SAMPLE && timeline.attribute(row, Attribute.STACK) >= 0) {
            int stack = (int) timeline.attribute(row, Attribute.STACK);
            return frames.computeIfAbsent(stack, id -> place(stacks.userFrame(id)));
        }
        int teller = teller(row);
        if (teller < 0) {
            return "";
        }
        String said = timeline.attributeText(teller, Attribute.WHERE);
        return said.isEmpty() ? functions.get(timeline.nameId(teller)) : said;
    }

    /** Returns the row that says where {@code row} is, negative for none. */
    private int teller(int row) {
        int at = row;
        while (at >= 0 && tellers[at] == 0 && !tells(at)) {
            at = timeline.parent(at);
        }
        int found = NOBODY;
        if (at >= 0) {
            found = tellers[at] == 0 ? at + FIRST : tellers[at];
            tellers[at] = found;
        }
        for (int on = row; on != at && on >= 0; on = timeline.parent(on)) {
            tellers[on] = found;
        }
        return found - FIRST;
    }

    private boolean tells(int row) {
        return !timeline.attributeText(row, Attribute.WHERE).isEmpty()
                || (timeline.kind(row) == RowKind.PYTHON_FUNCTION && !plumbing.get(timeline.nameId(row)));
    }

    /** Turns Kineto's {@code dir/file.py(31): function} into {@code dir/file.py:31 function}. */
    static String place(String pythonFunction) {
        int open = pythonFunction.indexOf('(');
        int close = pythonFunction.indexOf("): ", open);
        return open < 0 || close < 0
                ? pythonFunction
                : pythonFunction.substring(0, open)
                        + ':'
                        + pythonFunction.substring(open + 1, close)
                        + ' '
                        + pythonFunction.substring(close + 3);
    }
}

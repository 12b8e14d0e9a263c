package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The place of each host row in the program's code: the innermost user frame around the row.
 *
 * <p>Places are numbered, and equal texts have equal numbers, so idle time can be summed by number. A row whose name
 * shows no place has its parent's place; results are kept per row, so no chain of parents is walked twice. All tables
 * are arrays by row or by name id: hashing boxed row numbers and texts took a third of the analysis of a trace with 2
 * million Python calls.
 */
public final class Places {
    private static final int NOWHERE = 0;

    private final Timeline timeline;
    private final SampledStacks stacks;
    private final ByName plumbing;
    private final List<String> texts = new ArrayList<>();
    private final Map<String, Integer> ids = new HashMap<>();

    /** By row, and by name id: the number of the place plus one, 0 if not computed yet. */
    private final int[] ofRows;

    private final int[] ofFrames;
    private final int[] ofSaid;

    Places(Timeline timeline, SampledStacks stacks) {
        this.timeline = timeline;
        this.stacks = stacks;
        this.plumbing = new ByName(timeline, NamePatterns::isPlumbing);
        this.ofRows = new int[timeline.rowCount()];
        this.ofFrames = new int[timeline.nameCount()];
        this.ofSaid = new int[timeline.nameCount()];
        number("");
    }

    /** Returns the number of a row's place; that of the empty text when no frame was recorded, or for row -1. */
    int of(int row) {
        int known = NOWHERE + 1;
        int end = row;
        while (end >= 0) {
            known = ofRows[end] != 0 ? ofRows[end] : own(end) + 1;
            if (known != 0) {
                break;
            }
            known = NOWHERE + 1;
            end = timeline.parent(end);
        }
        for (int at = row; at >= 0 && ofRows[at] == 0; at = at == end ? -1 : timeline.parent(at)) {
            ofRows[at] = known;
        }
        return known - 1;
    }

    /** Returns {@code file:line} and the function of a place. */
    String text(int place) {
        return texts.get(place);
    }

    /** Returns the place that a row's own name shows, -1 for none. */
    private int own(int row) {
        RowKind kind = timeline.kind(row);
        int stack = kind == RowKind.STACK_SAMPLE ? (int) Math.max(-1, timeline.attribute(row, Attribute.STACK)) : -1;
        if (stack >= 0) {
            return ofFrame(stacks.userFrameNameId(stack));
        }
        long said = timeline.attribute(row, Attribute.WHERE);
        if (said != Attribute.ABSENT && !timeline.text(said).isEmpty()) {
            return ofSaid((int) said);
        }
        return kind == RowKind.PYTHON_FUNCTION && !plumbing.testRow(row) ? ofFrame(timeline.nameId(row)) : -1;
    }

    private int ofSaid(int nameId) {
        if (ofSaid[nameId] == 0) {
            ofSaid[nameId] = number(timeline.text(nameId)) + 1;
        }
        return ofSaid[nameId] - 1;
    }

    private int ofFrame(int nameId) {
        if (ofFrames[nameId] == 0) {
            ofFrames[nameId] = number(place(timeline.text(nameId))) + 1;
        }
        return ofFrames[nameId] - 1;
    }

    private int number(String text) {
        Integer known = ids.putIfAbsent(text, texts.size());
        if (known != null) {
            return known;
        }
        texts.add(text);
        return texts.size() - 1;
    }

    /** Turns Kineto's {@code dir/file.py(31): function} into {@code dir/file.py:31 function}. */
    public static String place(String pythonFunction) {
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

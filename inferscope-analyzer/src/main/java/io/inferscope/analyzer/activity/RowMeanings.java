package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/**
 * What the time of a host row means: its class, its name, its place in the code, and the framework operator around it.
 *
 * <p>Meanings are numbered, because a trace has millions of rows and only a few thousand meanings: time is summed in
 * arrays by number, and a table is asked once per meaning, not once per row. A row's meaning depends on the row around
 * it, and is computed when it is first asked for.
 */
public final class RowMeanings {
    /** The meaning of time in which no row is recorded. */
    public static final int NOTHING = 0;

    private static final LedgerClass[] CLASSES = LedgerClass.values();

    private final Timeline timeline;
    private final RowClasses classes;
    private final CodePlaces places;

    /** Whether a row's own attributes may decide its meaning. */
    private final boolean attributesDecide;

    /** By row: the number of its meaning plus one, 0 if not computed yet. */
    private final int[] ofRows;

    /** By number. */
    private int[] causes = new int[256];

    private int[] names = new int[256];
    private int[] ofPlaces = new int[256];
    private int[] operators = new int[256];

    /** By number: the number of the same meaning without an operator, plus one; 0 if not looked up yet. */
    private int[] withoutOperator = new int[256];

    private int[] withoutName = new int[256];
    private int count;

    /** By hash: the number of a meaning plus one, 0 for none. At most half full. */
    private int[] table = new int[512];

    /**
     * A hash table at most half full. Key: meaning of the surrounding row and name, plus one; value: the meaning of a
     * row with both.
     */
    private long[] inside = new long[1024];

    private int[] meaningsInside = new int[1024];
    private int countInside;

    /** Rows on the way from a row to an ancestor whose meaning is known. */
    private int[] unknown = new int[64];

    RowMeanings(Timeline timeline, RowClasses classes, CodePlaces places) {
        this.timeline = timeline;
        this.classes = classes;
        this.places = places;
        this.attributesDecide = timeline.has(Attribute.ACTIVITY) || timeline.has(Attribute.WHERE);
        this.ofRows = new int[timeline.rowCount()];
        number(LedgerClass.UNATTRIBUTED, -1, places.nowhere(), -1);
    }

    /** Returns the number of a host row's meaning; {@link #NOTHING} for row -1. */
    public int of(int row) {
        if (row < 0) {
            return NOTHING;
        }
        int known = ofRows[row];
        return known != 0 ? known - 1 : fromOutside(row);
    }

    /** Finds the meanings of the rows around a row first. No recursion: nesting may be deep. */
    private int fromOutside(int row) {
        int depth = 0;
        int at = row;
        for (; at >= 0 && ofRows[at] == 0; at = timeline.parent(at)) {
            if (depth == unknown.length) {
                unknown = Arrays.copyOf(unknown, 2 * depth);
            }
            unknown[depth++] = at;
        }
        int around = at < 0 ? NOTHING : ofRows[at] - 1;
        while (depth > 0) {
            int inner = unknown[--depth];
            around = isByName(inner, at) ? byName(inner, around) : compute(inner, at, around);
            ofRows[inner] = around + 1;
            at = inner;
        }
        return around;
    }

    /** Returns whether the name of a row and what is around it decide its meaning. */
    private boolean isByName(int row, int parent) {
        RowKind kind = timeline.kind(row);
        return !attributesDecide
                && (kind == RowKind.PYTHON_FUNCTION || kind == RowKind.OPERATOR)
                && (parent < 0 || timeline.kind(parent).isHostActivity())
                && !classes.lengthDecides(row);
    }

    private int byName(int row, int around) {
        boolean operator = timeline.kind(row) == RowKind.OPERATOR;
        long key = 1 + (((long) around << 33) | ((long) timeline.nameId(row) << 1) | (operator ? 1 : 0));
        int slot = slot(key);
        if (inside[slot] == 0) {
            int meaning = compute(row, timeline.parent(row), around);
            if (2 * ++countInside > inside.length) {
                growInside();
                slot = slot(key);
            }
            inside[slot] = key;
            meaningsInside[slot] = meaning;
        }
        return meaningsInside[slot];
    }

    private int slot(long key) {
        int mask = inside.length - 1;
        long product = key * 0x9E3779B97F4A7C15L;
        int slot = (int) (product >>> 32) & mask;
        while (inside[slot] != 0 && inside[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void growInside() {
        long[] keys = inside;
        int[] meanings = meaningsInside;
        inside = new long[2 * keys.length];
        meaningsInside = new int[2 * keys.length];
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] != 0) {
                int slot = slot(keys[i]);
                inside[slot] = keys[i];
                meaningsInside[slot] = meanings[i];
            }
        }
    }

    private int compute(int row, int parent, int around) {
        boolean within = parent >= 0 && timeline.kind(parent).isHostActivity();
        LedgerClass cause = classes.compute(row, within ? cause(around) : LedgerClass.UNATTRIBUTED);
        int place = places.own(row);
        int name = timeline.nameId(row);
        return number(
                cause,
                name,
                place < 0 ? ofPlaces[around] : place,
                timeline.kind(row) == RowKind.OPERATOR ? name : operators[around]);
    }

    public int number(LedgerClass cause, int name, int place, int operator) {
        int slot = slot(cause.ordinal(), name, place, operator);
        if (table[slot] == 0) {
            if (count == causes.length) {
                causes = Arrays.copyOf(causes, 2 * count);
                names = Arrays.copyOf(names, 2 * count);
                ofPlaces = Arrays.copyOf(ofPlaces, 2 * count);
                operators = Arrays.copyOf(operators, 2 * count);
                withoutOperator = Arrays.copyOf(withoutOperator, 2 * count);
                withoutName = Arrays.copyOf(withoutName, 2 * count);
            }
            causes[count] = cause.ordinal();
            names[count] = name;
            ofPlaces[count] = place;
            operators[count++] = operator;
            table[slot] = count;
            if (2 * count > table.length) {
                growTable();
            }
            return count - 1;
        }
        return table[slot] - 1;
    }

    private int slot(int cause, int name, int place, int operator) {
        int hash = ((name * 31 + place) * 31 + operator) * 64 + cause;
        int product = hash * 0x9E3779B9;
        int mask = table.length - 1;
        int slot = (product ^ (product >>> 16)) & mask;
        while (table[slot] != 0) {
            int at = table[slot] - 1;
            if (names[at] == name && ofPlaces[at] == place && operators[at] == operator && causes[at] == cause) {
                break;
            }
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void growTable() {
        table = new int[2 * table.length];
        for (int at = 0; at < count; at++) {
            table[slot(causes[at], names[at], ofPlaces[at], operators[at])] = at + 1;
        }
    }

    /** Returns how many meanings are known by now. */
    public int count() {
        return count;
    }

    public LedgerClass cause(int meaning) {
        return CLASSES[causes[meaning]];
    }

    /** Returns the meaning with the same class, name and place, and no operator. */
    public int withoutOperator(int meaning) {
        if (withoutOperator[meaning] == 0) {
            int other = number(cause(meaning), names[meaning], ofPlaces[meaning], -1);
            withoutOperator[meaning] = other + 1;
        }
        return withoutOperator[meaning] - 1;
    }

    /** Returns the meaning with the same class and place, and nothing else. */
    public int withoutName(int meaning) {
        if (withoutName[meaning] == 0) {
            int other = number(cause(meaning), -1, ofPlaces[meaning], -1);
            withoutName[meaning] = other + 1;
        }
        return withoutName[meaning] - 1;
    }

    /** Returns the name id of the row, -1 for no row. */
    public int name(int meaning) {
        return names[meaning];
    }

    public int place(int meaning) {
        return ofPlaces[meaning];
    }

    /** Returns the name id of the innermost framework operator around the row or of the row itself, -1 for none. */
    public int operator(int meaning) {
        return operators[meaning];
    }
}

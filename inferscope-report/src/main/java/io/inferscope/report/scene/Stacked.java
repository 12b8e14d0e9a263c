package io.inferscope.report.scene;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/**
 * Puts pieces of threads' time into a tree: below the rows that enclose them, or below the frames of the sample that
 * represents them.
 */
final class Stacked {
    private static final int ROOT = 0;

    private final Timeline timeline;
    private final Texts texts;
    private final Tree tree;

    /** By row, and by stack: the node plus one, 0 if not computed yet. */
    private final int[] ofRows;

    private final int[] ofStacks;

    /** Rows or stacks on the way to one whose node is known. */
    private int[] chain = new int[64];

    Stacked(Timeline timeline, Texts texts, String root) {
        this.timeline = timeline;
        this.texts = texts;
        this.tree = new Tree(texts.of(root));
        this.ofRows = new int[timeline.rowCount()];
        this.ofStacks = new int[timeline.stacks().count()];
    }

    Tree tree() {
        return tree;
    }

    /** Adds time in which a row was innermost and a sample represents it; -1 stands for none. */
    void add(int row, int sample, LedgerClass ledgerClass, long ns) {
        tree.spend(node(row, sample, ledgerClass), ledgerClass, ns);
    }

    private int node(int row, int sample, LedgerClass ledgerClass) {
        long stack = sample < 0 ? Attribute.ABSENT : timeline.attribute(sample, Attribute.STACK);
        if (stack != Attribute.ABSENT) {
            int frames = ofStack((int) stack);
            return row >= 0 && timeline.kind(row) != RowKind.ANNOTATION
                    ? tree.child(frames, texts.ofName(timeline.nameId(row)))
                    : frames;
        }
        return row >= 0 ? ofRow(row) : tree.child(ROOT, texts.of(ledgerClass.label()));
    }

    /** Adds time that a device itself took after a call: it stands below the call. */
    void addBelow(int row, LedgerClass ledgerClass, long ns) {
        tree.spend(tree.child(row < 0 ? ROOT : ofRow(row), texts.of("(" + ledgerClass.label() + ")")), ledgerClass, ns);
    }

    private int ofRow(int row) {
        if (ofRows[row] != 0) {
            return ofRows[row] - 1;
        }
        int depth = 0;
        int at = row;
        while (at >= 0 && ofRows[at] == 0) {
            if (depth == chain.length) {
                chain = Arrays.copyOf(chain, depth * 2);
            }
            chain[depth++] = at;
            at = timeline.parent(at);
        }
        int node = at < 0 ? ROOT : ofRows[at] - 1;
        while (depth > 0) {
            int next = chain[--depth];
            if (timeline.kind(next) != RowKind.PROCESS && timeline.kind(next) != RowKind.PROFILER_WINDOW) {
                node = tree.child(node, texts.ofName(timeline.nameId(next)));
            }
            ofRows[next] = node + 1;
        }
        return node;
    }

    private int ofStack(int stack) {
        if (ofStacks[stack] != 0) {
            return ofStacks[stack] - 1;
        }
        int depth = 0;
        int at = stack;
        while (at >= 0 && ofStacks[at] == 0) {
            if (depth == chain.length) {
                chain = Arrays.copyOf(chain, depth * 2);
            }
            chain[depth++] = at;
            at = timeline.stacks().caller(at);
        }
        int node = at < 0 ? ROOT : ofStacks[at] - 1;
        while (depth > 0) {
            int next = chain[--depth];
            node = tree.child(node, texts.of(timeline.stacks().frame(next)));
            ofStacks[next] = node + 1;
        }
        return node;
    }
}

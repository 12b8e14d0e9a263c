package io.inferscope.report.scene;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

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
        return node(row, ofRows, timeline::parent, (outer, inner) -> {
            RowKind kind = timeline.kind(inner);
            return kind == RowKind.PROCESS || kind == RowKind.PROFILER_WINDOW
                    ? outer
                    : tree.child(outer, texts.ofName(timeline.nameId(inner)));
        });
    }

    private int ofStack(int stack) {
        Stacks stacks = timeline.stacks();
        return node(stack, ofStacks, stacks::caller, (outer, inner) -> tree.child(outer, texts.of(stacks.text(inner))));
    }

    /** Returns the node of a row or a stack, after that of each one around it. */
    private int node(int innermost, int[] known, IntUnaryOperator around, IntBinaryOperator below) {
        int depth = 0;
        int at = innermost;
        while (at >= 0 && known[at] == 0) {
            if (depth == chain.length) {
                chain = Arrays.copyOf(chain, depth * 2);
            }
            chain[depth++] = at;
            at = around.applyAsInt(at);
        }
        int node = at < 0 ? ROOT : known[at] - 1;
        while (depth > 0) {
            int next = chain[--depth];
            node = below.applyAsInt(node, next);
            known[next] = node + 1;
        }
        return node;
    }
}

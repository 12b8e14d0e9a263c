package io.inferscope.report.scene;

import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.NamePredicate;
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
 * represents them. Frames of Python's import system are one frame, {@code import of torch}, that leads to the module's
 * code; where they lead to nothing known, it has no name of a module.
 */
final class Stacked {
    private static final int ROOT = 0;
    private static final String IMPORT = "import";

    private final String key;
    private final Timeline timeline;
    private final Texts texts;
    private final Tree tree;
    private final NamePredicate imports;

    /** By row, and by stack: the node plus one, 0 if not computed yet. */
    private final int[] ofRows;

    private final int[] ofStacks;

    /** Rows or stacks on the way to one whose node is known. */
    private int[] chain = new int[64];

    /**
     * Makes an empty tree.
     *
     * @param key names it: trees of two recordings with one key are compared
     */
    Stacked(ShownPart part, Texts texts, String key, String root) {
        this.key = key;
        this.imports = part.imports();
        this.timeline = part.analysis().timeline();
        this.texts = texts;
        this.tree = new Tree(texts.of(root));
        this.ofRows = new int[timeline.rowCount()];
        this.ofStacks = new int[timeline.stacks().count()];
    }

    boolean isEmpty() {
        return tree.isEmpty();
    }

    void writeTo(Varints out) {
        out.add(texts.of(key));
        tree.writeTo(out, texts);
    }

    /** Adds time in which a row was innermost and a sample represents it; -1 stands for none. */
    void add(int row, int sample, LedgerClass ledgerClass, long ns) {
        tree.spend(node(row, sample, ledgerClass), ledgerClass, ns);
    }

    private int node(int row, int sample, LedgerClass ledgerClass) {
        long stack = sample < 0 ? Attribute.ABSENT : timeline.attribute(sample, Attribute.STACK);
        if (stack != Attribute.ABSENT) {
            int frames = shown(ofStack((int) stack), timeline.stacks().frameNameId((int) stack));
            return row >= 0 && timeline.kind(row) != RowKind.ANNOTATION
                    ? tree.child(frames, texts.ofName(timeline.nameId(row)))
                    : frames;
        }
        return row >= 0 ? shown(ofRow(row), timeline.nameId(row)) : tree.child(ROOT, texts.of(ledgerClass.label()));
    }

    /** Returns the node for the time of a frame itself. */
    private int shown(int node, int name) {
        return imports.test(name) ? tree.child(node, texts.of(IMPORT)) : node;
    }

    /** Returns the node of a frame below its caller's; that of an import's machinery is its caller's. */
    private int frame(int outer, int caller, int name) {
        if (imports.test(name)) {
            return outer;
        }
        int at = outer;
        if (caller >= 0 && imports.test(caller)) {
            String module = FramePatterns.module(timeline.frame(name));
            at = tree.child(outer, texts.of(module.isEmpty() ? IMPORT : IMPORT + " of " + module));
        }
        return tree.child(at, texts.ofName(name));
    }

    /** Adds time that a device itself took after a call: it stands below the call. */
    void addBelow(int row, LedgerClass ledgerClass, long ns) {
        tree.spend(tree.child(row < 0 ? ROOT : ofRow(row), texts.of("(" + ledgerClass.label() + ")")), ledgerClass, ns);
    }

    private int ofRow(int row) {
        return node(row, ofRows, timeline::parent, (outer, inner) -> {
            RowKind kind = timeline.kind(inner);
            int caller = timeline.parent(inner);
            return kind == RowKind.PROCESS || kind == RowKind.PROFILER_WINDOW
                    ? outer
                    : frame(outer, caller < 0 ? -1 : timeline.nameId(caller), timeline.nameId(inner));
        });
    }

    private int ofStack(int stack) {
        Stacks stacks = timeline.stacks();
        return node(stack, ofStacks, stacks::caller, (outer, inner) -> {
            int caller = stacks.caller(inner);
            return frame(outer, caller < 0 ? -1 : stacks.frameNameId(caller), stacks.frameNameId(inner));
        });
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

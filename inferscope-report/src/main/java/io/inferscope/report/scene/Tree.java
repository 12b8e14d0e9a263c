package io.inferscope.report.scene;

import io.inferscope.analyzer.model.LedgerClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Time by call stack: a node per name below the same callers. The root is node 0. */
final class Tree {
    /** Nodes with a smaller share are summed: at the full width of a screen they are narrower than a pixel. */
    private static final double LEAST_SHARE = 0.0003;

    private static final int DEEPEST = 300;
    private static final int CLASSES = LedgerClass.values().length;
    private static final int NO_CLASS = -1;

    /**
     * A hash table with open addressing, at most half full: the node of a caller and a name, -1 for a free place. A map
     * of boxed numbers took a tenth of a page's time.
     */
    private int[] table = newTable(512);

    private int[] parents = new int[256];
    private int[] names = new int[256];
    private int[] depths = new int[256];
    private long[] selfNs = new long[256];
    private long[] @Nullable [] classNs = new long[256] @Nullable [];
    private int[] onlyClass = new int[256];
    private long[] onlyNs = new long[256];
    private int count;

    Tree(int rootName) {
        add(-1, rootName);
    }

    /** Returns the node of a name below another node; calls below the greatest depth belong to their caller. */
    int child(int parent, int name) {
        if (depths[parent] == DEEPEST) {
            return parent;
        }
        int known = table[place(table, parent, name)];
        return known < 0 ? add(parent, name) : known;
    }

    private static int[] newTable(int size) {
        int[] table = new int[size];
        Arrays.fill(table, -1);
        return table;
    }

    /** Returns the position of a node in the table, or the free position for it. */
    private int place(int[] in, int parent, int name) {
        int hash = (parent * 31 + name) * 0x9E3779B9;
        int at = (hash ^ hash >>> 15) & in.length - 1;
        while (in[at] >= 0 && (parents[in[at]] != parent || names[in[at]] != name)) {
            at = at + 1 & in.length - 1;
        }
        return at;
    }

    private int add(int parent, int name) {
        if (count == names.length) {
            parents = Arrays.copyOf(parents, count * 2);
            names = Arrays.copyOf(names, count * 2);
            depths = Arrays.copyOf(depths, count * 2);
            selfNs = Arrays.copyOf(selfNs, count * 2);
            classNs = Arrays.copyOf(classNs, count * 2);
            onlyClass = Arrays.copyOf(onlyClass, count * 2);
            onlyNs = Arrays.copyOf(onlyNs, count * 2);
        }
        parents[count] = parent;
        onlyClass[count] = NO_CLASS;
        names[count] = name;
        depths[count] = parent < 0 ? 0 : depths[parent] + 1;
        if (2 * count >= table.length) {
            int[] larger = newTable(2 * table.length);
            for (int node = 0; node < count; node++) {
                larger[place(larger, parents[node], names[node])] = node;
            }
            table = larger;
        }
        table[place(table, parent, name)] = count;
        return count++;
    }

    /** Adds time spent in a node itself. */
    void spend(int node, LedgerClass ledgerClass, long ns) {
        selfNs[node] += ns;
        count(node, ledgerClass.ordinal(), ns);
    }

    /** Most nodes have one class; only the others have a sum per class. */
    private void count(int node, int ledgerClass, long ns) {
        long[] sums = classNs[node];
        if (sums == null) {
            if (onlyClass[node] == NO_CLASS || onlyClass[node] == ledgerClass) {
                onlyClass[node] = ledgerClass;
                onlyNs[node] += ns;
                return;
            }
            sums = new long[CLASSES];
            sums[onlyClass[node]] = onlyNs[node];
            classNs[node] = sums;
        }
        sums[ledgerClass] += ns;
    }

    boolean isEmpty() {
        return Arrays.stream(selfNs, 0, count).allMatch(ns -> ns == 0);
    }

    /**
     * Writes the nodes from the root down, siblings by time: depth, name, class, time of its own. Small siblings become
     * one.
     */
    void writeTo(Varints out, Texts texts) {
        long[] total = Arrays.copyOf(selfNs, count);
        int[] style = new int[count];
        int[] firstChild = new int[count];
        int[] nextSibling = new int[count];
        Arrays.fill(firstChild, -1);
        for (int node = count - 1; node >= 0; node--) {
            style[node] = largest(node);
            int parent = parents[node];
            if (parent >= 0) {
                total[parent] += total[node];
                countAll(parent, node);
                nextSibling[node] = firstChild[parent];
                firstChild[parent] = node;
            }
        }
        Varints nodes = new Varints();
        Written written = new Written(total, style, firstChild, nextSibling);
        int all = write(0, 0, written, nodes, texts);
        out.add(all).addAll(nodes);
    }

    /** Adds a node's sums to its caller's, and forgets them. */
    private void countAll(int parent, int node) {
        long[] sums = classNs[node];
        if (sums == null) {
            if (onlyClass[node] != NO_CLASS) {
                count(parent, onlyClass[node], onlyNs[node]);
            }
            return;
        }
        for (int ledgerClass = 0; ledgerClass < sums.length; ledgerClass++) {
            if (sums[ledgerClass] != 0) {
                count(parent, ledgerClass, sums[ledgerClass]);
            }
        }
        classNs[node] = null;
    }

    private int largest(int node) {
        long[] sums = classNs[node];
        int most = LedgerClass.UNATTRIBUTED.ordinal();
        if (sums == null) {
            return onlyNs[node] > 0 ? onlyClass[node] : most;
        }
        for (int i = 0; i < sums.length; i++) {
            most = sums[i] > sums[most] ? i : most;
        }
        return most;
    }

    /** The data of all nodes: time with all that they call, class, and children as a list. */
    private static final class Written {
        private final long[] total;
        private final int[] style;
        private final int[] firstChild;
        private final int[] nextSibling;
        private final long leastNs;

        Written(long[] total, int[] style, int[] firstChild, int[] nextSibling) {
            this.total = total;
            this.style = style;
            this.firstChild = firstChild;
            this.nextSibling = nextSibling;
            this.leastNs = (long) (total[0] * LEAST_SHARE);
        }

        List<Integer> childrenByTime(int node) {
            List<Integer> children = new ArrayList<>();
            for (int child = firstChild[node]; child >= 0; child = nextSibling[child]) {
                children.add(child);
            }
            children.sort((a, b) -> total[a] != total[b] ? Long.compare(total[b], total[a]) : Integer.compare(a, b));
            return children;
        }
    }

    private int write(int node, int depth, Written all, Varints out, Texts texts) {
        out.add(depth).add(names[node]).add(all.style[node]).add(selfNs[node]);
        int written = 1;
        long smallNs = 0;
        int small = 0;
        int smallStyle = 0;
        for (int child : all.childrenByTime(node)) {
            if (all.total[child] > all.leastNs) {
                written += write(child, depth + 1, all, out, texts);
            } else if (all.total[child] > 0) {
                smallNs += all.total[child];
                smallStyle = all.style[child];
                small++;
            }
        }
        if (small > 0) {
            out.add(depth + 1L)
                    .add(texts.of("(" + small + " smaller)"))
                    .add(smallStyle)
                    .add(smallNs);
            written++;
        }
        return written;
    }
}

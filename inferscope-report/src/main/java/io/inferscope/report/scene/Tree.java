package io.inferscope.report.scene;

import io.inferscope.analyzer.model.LedgerClass;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Time by call stack: a node per name below the same callers. The root is node 0. */
final class Tree {
    /** Nodes with less of the whole are summed: at the full width of a screen they are narrower than a pixel. */
    private static final double LEAST_SHARE = 0.0003;

    private static final int DEEPEST = 300;

    private final Map<Long, Integer> children = new HashMap<>();
    private int[] parents = new int[256];
    private int[] names = new int[256];
    private int[] depths = new int[256];
    private long[] selfNs = new long[256];
    private long[] @Nullable [] classNs = new long[256] @Nullable [];
    private int count;

    Tree(int rootName) {
        add(-1, rootName);
    }

    /** Returns the node of a name below another one; what is called deeper than anyone reads is its caller's. */
    int child(int parent, int name) {
        if (depths[parent] == DEEPEST) {
            return parent;
        }
        Integer known = children.get(key(parent, name));
        return known == null ? add(parent, name) : known;
    }

    private static long key(int parent, int name) {
        return ((long) parent << 32) | name;
    }

    private int add(int parent, int name) {
        if (count == names.length) {
            parents = Arrays.copyOf(parents, count * 2);
            names = Arrays.copyOf(names, count * 2);
            depths = Arrays.copyOf(depths, count * 2);
            selfNs = Arrays.copyOf(selfNs, count * 2);
            classNs = Arrays.copyOf(classNs, count * 2);
        }
        parents[count] = parent;
        names[count] = name;
        depths[count] = parent < 0 ? 0 : depths[parent] + 1;
        children.put(key(parent, name), count);
        return count++;
    }

    /** Adds time spent in a node itself. */
    void spend(int node, LedgerClass ledgerClass, long ns) {
        selfNs[node] += ns;
        sums(node)[ledgerClass.ordinal()] += ns;
    }

    private long[] sums(int node) {
        long[] sums = classNs[node];
        if (sums == null) {
            sums = new long[LedgerClass.values().length];
            classNs[node] = sums;
        }
        return sums;
    }

    boolean isEmpty() {
        return Arrays.stream(selfNs, 0, count).allMatch(ns -> ns == 0);
    }

    /** Writes the nodes from the root down, siblings by time: depth, name, class, time of its own. Small siblings become one. */
    void writeTo(Varints out, Texts texts) {
        long[] total = Arrays.copyOf(selfNs, count);
        int[] style = new int[count];
        for (int node = count - 1; node >= 0; node--) {
            long[] own = sums(node);
            style[node] = largest(own);
            if (parents[node] >= 0) {
                total[parents[node]] += total[node];
                long[] around = sums(parents[node]);
                Arrays.setAll(around, c -> around[c] + own[c]);
            }
        }
        int[][] below = childrenByTime(total);
        Varints nodes = new Varints();
        int written = write(0, 0, total, style, below, (long) (total[0] * LEAST_SHARE), nodes, texts);
        out.add(written).addAll(nodes);
    }

    private static int largest(long[] sums) {
        int most = LedgerClass.UNATTRIBUTED.ordinal();
        for (int i = 0; i < sums.length; i++) {
            most = sums[i] > sums[most] ? i : most;
        }
        return most;
    }

    private int[][] childrenByTime(long[] total) {
        int[] counts = new int[count];
        for (int node = 1; node < count; node++) {
            counts[parents[node]]++;
        }
        int[][] below = new int[count][];
        for (int node = 0; node < count; node++) {
            below[node] = new int[counts[node]];
        }
        for (int node = 1; node < count; node++) {
            below[parents[node]][--counts[parents[node]]] = node;
        }
        for (int node = 0; node < count; node++) {
            below[node] = Arrays.stream(below[node])
                    .boxed()
                    .sorted((a, b) -> total[a] != total[b] ? Long.compare(total[b], total[a]) : Integer.compare(a, b))
                    .mapToInt(Integer::intValue)
                    .toArray();
        }
        return below;
    }

    private int write(
            int node, int depth, long[] total, int[] style, int[][] below, long leastNs, Varints out, Texts texts) {
        out.add(depth).add(names[node]).add(style[node]).add(selfNs[node]);
        int written = 1;
        long smallNs = 0;
        int small = 0;
        int smallStyle = 0;
        for (int child : below[node]) {
            if (total[child] > leastNs) {
                written += write(child, depth + 1, total, style, below, leastNs, out, texts);
            } else if (total[child] > 0) {
                smallNs += total[child];
                smallStyle = style[child];
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

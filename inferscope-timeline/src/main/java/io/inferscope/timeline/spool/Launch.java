package io.inferscope.timeline.spool;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.TimelineBuilder;

/**
 * A launch configuration: two numbers for those who compare, and a text for people.
 *
 * @param blocks blocks of the grid, 0 where that is not known
 * @param threads threads of a block
 * @param text in words
 */
public record Launch(long blocks, long threads, String text) {
    static final Launch UNKNOWN = new Launch(0, 0, "");

    /** Takes the extents of grid and block in x, y and z, and what else is known, in words. */
    public Launch(long[] grid, long[] block, String more) {
        this(product(grid), product(block), "grid " + cells(grid) + ", block " + cells(block) + more);
    }

    private static long product(long[] extents) {
        double product = 1;
        for (long extent : extents) {
            product *= extent;
        }
        return (long) Math.min(Attribute.MOST_BLOCKS, product);
    }

    private static String cells(long[] extents) {
        return extents[0] + "x" + extents[1] + "x" + extents[2];
    }

    /** Stores the configuration of an operation. A graph's node, in words, may be empty. */
    public void store(TimelineBuilder builder, int row, String node) {
        if (blocks > 0) {
            builder.attribute(row, Attribute.GRID_BLOCKS, blocks);
            builder.attribute(row, Attribute.BLOCK_THREADS, threads);
        }
        if (!text.isEmpty() || !node.isEmpty()) {
            String both = text.isEmpty() || node.isEmpty() ? text + node : text + ", " + node;
            builder.attribute(row, Attribute.DETAIL, builder.name(both));
        }
    }
}

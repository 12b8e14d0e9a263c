package io.inferscope.shapes;

/**
 * Which parts a report is to have.
 *
 * @param operators whether operators by calls
 * @param largest whether the largest tensors
 * @param diversity whether operators by different shapes
 * @param top lines of each list
 * @param maxShapes shapes of each operator
 */
public record ShapeSections(boolean operators, boolean largest, boolean diversity, int top, int maxShapes) {
    /** Every part, in the usual length. */
    public static final ShapeSections ALL = new ShapeSections(true, true, true, 20, 10);
}

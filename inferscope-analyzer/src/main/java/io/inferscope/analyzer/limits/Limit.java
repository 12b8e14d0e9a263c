package io.inferscope.analyzer.limits;

import io.inferscope.analyzer.metrics.LimitSubject;

/**
 * One limit: it is crossed where the comparison holds.
 *
 * @param text as the user wrote it
 * @param name the figure's name, as the user wrote it
 * @param asked the figure or question that is compared
 * @param growth whether the difference between two recordings is meant, not the figure of the one
 * @param onlyWhereKnown whether a figure that is not known passes
 * @param operator how it is compared
 * @param value the limit, in the figure's unit; a ratio where percentages are compared
 * @param word the limit, if it is a word; of a figure that is compared with its history, the percentile
 */
record Limit(
        String text,
        String name,
        LimitSubject asked,
        boolean growth,
        boolean onlyWhereKnown,
        Operator operator,
        double value,
        String word) {
    /** How two values are compared. Longer signs first, as they are looked for in this order. */
    enum Operator {
        AT_LEAST(">="),
        AT_MOST("<="),
        /** Different from it. */
        OTHER("!="),
        /** More. */
        ABOVE(">"),
        /** Less. */
        BELOW("<"),
        SAME("=");

        private final String sign;

        Operator(String sign) {
            this.sign = sign;
        }

        String sign() {
            return sign;
        }

        /** Returns whether a comparison with this result, as {@link Comparable} gives it, crosses the limit. */
        boolean holds(int compared) {
            return switch (this) {
                case AT_LEAST -> compared >= 0;
                case AT_MOST -> compared <= 0;
                case OTHER -> compared != 0;
                case ABOVE -> compared > 0;
                case BELOW -> compared < 0;
                case SAME -> compared == 0;
            };
        }
    }
}

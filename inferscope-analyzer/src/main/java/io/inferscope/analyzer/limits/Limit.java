package io.inferscope.analyzer.limits;

/**
 * One limit: it is crossed where the comparison holds.
 *
 * @param text as the user wrote it
 * @param metric what is compared
 * @param part the part whose ledger is meant: {@code span}, {@code window}, ...; empty for the judged part
 * @param growth whether the difference between two recordings is meant, not the figure of the one
 * @param onlyWhereKnown whether a figure that is not known passes
 * @param operator how it is compared
 * @param value with what: ns for times, a ratio for percentages, a count
 * @param relative whether {@code value} is a percentage
 * @param word with what, for words
 */
record Limit(
        String text,
        Metric metric,
        String part,
        boolean growth,
        boolean onlyWhereKnown,
        Operator operator,
        double value,
        boolean relative,
        String word) {
    /** How two values are compared. Longer signs first, as they are looked for in this order. */
    enum Operator {
        /** At least. */
        AT_LEAST(">="),
        /** At most. */
        AT_MOST("<="),
        /** Another one. */
        OTHER("!="),
        /** More. */
        ABOVE(">"),
        /** Less. */
        BELOW("<"),
        /** The same. */
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

package io.inferscope.report;

import io.inferscope.analyzer.diff.Comparison;

/** Words that every format of a comparison shares. */
final class ComparisonText {
    private ComparisonText() {}

    /** Returns {@code after.json compared with before.json}. */
    static String title(Comparison comparison) {
        return comparison.after().title() + " compared with "
                + comparison.before().title();
    }
}

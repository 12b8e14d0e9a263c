package io.inferscope.report.common;

import io.inferscope.analyzer.diff.Comparison;

/** Words that every format of a comparison shares. */
public final class ComparisonText {
    private ComparisonText() {}

    /** Returns {@code after.json compared with before.json}. */
    public static String title(Comparison comparison) {
        return comparison.after().title() + " compared with "
                + comparison.before().title();
    }
}

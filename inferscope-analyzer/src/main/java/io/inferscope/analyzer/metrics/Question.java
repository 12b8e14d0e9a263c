package io.inferscope.analyzer.metrics;

import java.util.Locale;

/** What can be asked of a finished report, or of a comparison, and is no figure of an analysis: rules cannot ask it. */
public enum Question implements Asked {
    /** What limits the program. */
    VERDICT("what limits the program"),
    /** How severe the severest finding is. */
    SEVERITY("the severest finding"),
    /** What the rules found. */
    FINDING("a rule that found something"),
    /** How the time of a unit of work changed. */
    REGRESSION("only for `diff`: how much longer a unit of work takes than before");

    private final String description;

    Question(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }

    /** Returns its name in limits. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}

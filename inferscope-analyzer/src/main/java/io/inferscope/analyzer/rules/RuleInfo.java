package io.inferscope.analyzer.rules;

import java.util.Set;

/**
 * What a rule is.
 *
 * @param id stable id, also the name of its page
 * @param title what it looks for
 * @param needs what must be recorded for it to say anything
 */
public record RuleInfo(String id, String title, Set<Needs> needs) {
    /** Copies the set. */
    public RuleInfo {
        needs = Set.copyOf(needs);
    }

    // By hand: the methods that a record gets are linked when they are first called, which a start would feel.
    @Override
    public boolean equals(Object other) {
        return other instanceof RuleInfo that
                && id.equals(that.id)
                && title.equals(that.title)
                && needs.equals(that.needs);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}

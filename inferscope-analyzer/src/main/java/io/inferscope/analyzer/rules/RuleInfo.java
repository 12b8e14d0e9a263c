package io.inferscope.analyzer.rules;

import java.util.Set;

/**
 * What a rule is.
 *
 * @param id stable id, also the name of its page
 * @param title what it looks for
 * @param needs what must be recorded for it to say anything
 * @param refines ids of rules that see the same loss from further away: where one of them found as much, this one's finding is a detail
 */
public record RuleInfo(String id, String title, Set<Needs> needs, Set<String> refines) {
    /** Copies the sets. */
    public RuleInfo {
        needs = Set.copyOf(needs);
        refines = Set.copyOf(refines);
    }

    /** A rule whose finding stands for itself. */
    public RuleInfo(String id, String title, Set<Needs> needs) {
        this(id, title, needs, Set.of());
    }

    /** Returns the same rule, saying whose findings it details. */
    RuleInfo refining(String... rules) {
        return new RuleInfo(id, title, needs, Set.of(rules));
    }

    // By hand: the methods that a record gets are linked when they are first called, which a start would feel.
    @Override
    public boolean equals(Object other) {
        return other instanceof RuleInfo that
                && id.equals(that.id)
                && title.equals(that.title)
                && needs.equals(that.needs)
                && refines.equals(that.refines);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}

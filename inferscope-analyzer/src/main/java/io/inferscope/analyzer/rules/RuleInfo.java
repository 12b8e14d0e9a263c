package io.inferscope.analyzer.rules;

import java.util.Set;

/**
 * What a rule is.
 *
 * @param id stable id, also the name of its page
 * @param title what it looks for
 * @param needs what must be recorded for it to say anything
 * @param refines ids of rules that see the same loss from further away: where one of them found as much, this one's finding is a detail
 * @param repeats ids of rules that say more of the same time: where one of them found as much, this one has nothing to add
 */
public record RuleInfo(String id, String title, Set<Needs> needs, Set<String> refines, Set<String> repeats) {
    /** In {@code repeats}: whichever rule it is. */
    static final String ANY = "any";

    /** Copies the sets. */
    public RuleInfo {
        needs = Set.copyOf(needs);
        refines = Set.copyOf(refines);
        repeats = Set.copyOf(repeats);
    }

    /** A rule whose finding stands for itself. */
    public RuleInfo(String id, String title, Set<Needs> needs) {
        this(id, title, needs, Set.of(), Set.of());
    }

    /** Returns the same rule, saying whose findings it details. */
    RuleInfo refining(String... rules) {
        return new RuleInfo(id, title, needs, Set.of(rules), repeats);
    }

    /** Returns the same rule, saying which other ones stand for it. */
    RuleInfo repeating(String... rules) {
        return new RuleInfo(id, title, needs, refines, Set.of(rules));
    }

    /** Returns whether the rule has nothing to add to what another finds of the same time. */
    boolean repeats(RuleInfo other) {
        return !id.equals(other.id) && (repeats.contains(ANY) || repeats.contains(other.id));
    }

    // By hand: the methods that a record gets are linked when they are first called, which a start would feel.
    @Override
    public boolean equals(Object other) {
        return other instanceof RuleInfo that
                && id.equals(that.id)
                && title.equals(that.title)
                && needs.equals(that.needs)
                && refines.equals(that.refines)
                && repeats.equals(that.repeats);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}

package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The declaration of a rule.
 *
 * @param id stable id, also the name of its page
 * @param title what it looks for
 * @param needs what must be recorded for it to apply
 * @param refines ids of rules that report the same loss more generally: if one of them found as much, this rule's
 *     finding is a detail of it
 * @param repeats ids of rules that explain the same time better: if one of them found as much, this rule's finding is
 *     dropped
 */
public record RuleInfo(String id, String title, Set<Needs> needs, Set<String> refines, Set<String> repeats) {
    /** In {@code repeats}: any rule. */
    static final String ANY = "any";

    private static final String NONE = "-";

    /** The rows of {@code knowledge/rules.tsv}, by id and by class; of a class that several rows name, one of them. */
    private static final Map<String, RuleInfo> DECLARED = new HashMap<>();

    static {
        KnowledgeTable.read(Knowledge.class, "rules.tsv", Function.identity()).forEach(RuleInfo::declare);
    }

    public RuleInfo {
        needs = Set.copyOf(needs);
        refines = Set.copyOf(refines);
        repeats = Set.copyOf(repeats);
    }

    /** A rule of a user, which neither refines nor repeats another. */
    public RuleInfo(String id, String title, Needs... needs) {
        this(id, title, Set.of(needs), Set.of(), Set.of());
    }

    private static void declare(String[] cells) {
        Set<Needs> needs = EnumSet.noneOf(Needs.class);
        words(cells[2]).forEach(need -> needs.add(Needs.valueOf(need)));
        RuleInfo rule = new RuleInfo(cells[0], cells[5], needs, words(cells[3]), words(cells[4]));
        DECLARED.put(rule.id, rule);
        DECLARED.put(cells[1], rule);
    }

    private static Set<String> words(String cell) {
        return cell.equals(NONE) ? Set.of() : Set.of(cell.split(" ", -1));
    }

    /** Returns the declaration of a built-in rule, by its id or its class. */
    static RuleInfo of(String name) {
        RuleInfo declared = DECLARED.get(name);
        if (declared == null) {
            throw new IllegalArgumentException("no row of rules.tsv is " + name);
        }
        return declared;
    }

    /** Returns whether the rule adds nothing to another rule's finding about the same time. */
    public boolean repeats(RuleInfo other) {
        return !id.equals(other.id) && (repeats.contains(ANY) || repeats.contains(other.id));
    }

    // Hand-written: a record's generated methods are linked at their first call, which slows start-up.
    @Override
    public boolean equals(Object other) {
        return other instanceof RuleInfo that && id.equals(that.id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}

package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
 * @param thresholds the limits that it compares with
 */
public record RuleInfo(
        String id,
        String title,
        Set<Needs> needs,
        Set<String> refines,
        Set<String> repeats,
        List<Threshold> thresholds) {
    /** In {@code repeats}: any rule. */
    static final String ANY = "any";

    private static final String NONE = "-";

    /** The rows of {@code knowledge/rules.tsv}, by id. */
    private static final Map<String, RuleInfo> DECLARED = new HashMap<>();

    static {
        KnowledgeTable.read(Knowledge.class, "rules.tsv", RuleInfo::row).forEach(row -> DECLARED.put(row.id, row));
    }

    public RuleInfo {
        needs = Set.copyOf(needs);
        refines = Set.copyOf(refines);
        repeats = Set.copyOf(repeats);
        thresholds = List.copyOf(thresholds);
    }

    /** A rule of a user, which neither refines nor repeats another. */
    public RuleInfo(String id, String title, Needs... needs) {
        this(id, title, Set.of(needs), Set.of(), Set.of(), List.of());
    }

    private static RuleInfo row(String[] cells) {
        Set<Needs> needs = EnumSet.noneOf(Needs.class);
        words(cells[1]).forEach(need -> needs.add(Needs.valueOf(need)));
        return new RuleInfo(cells[0], cells[4], needs, words(cells[2]), words(cells[3]), List.of());
    }

    private static Set<String> words(String cell) {
        return cell.equals(NONE) ? Set.of() : Set.of(cell.split(" ", -1));
    }

    /** Returns the declaration of a built-in rule with its limits. */
    static RuleInfo of(String id, Threshold... limits) {
        RuleInfo declared = DECLARED.get(id);
        if (declared == null) {
            throw new IllegalArgumentException("no row of rules.tsv is " + id);
        }
        return declared.limits(limits);
    }

    RuleInfo limits(Threshold... more) {
        List<Threshold> all = new ArrayList<>(thresholds);
        all.addAll(List.of(more));
        return new RuleInfo(id, title, needs, refines, repeats, all);
    }

    /** Returns whether the rule adds nothing to another rule's finding about the same time. */
    public boolean repeats(RuleInfo other) {
        return !id.equals(other.id) && (repeats.contains(ANY) || repeats.contains(other.id));
    }

    // Hand-written: a record's generated methods are linked at their first call, which slows start-up.
    @Override
    public boolean equals(Object other) {
        return other instanceof RuleInfo that
                && id.equals(that.id)
                && title.equals(that.title)
                && needs.equals(that.needs)
                && refines.equals(that.refines)
                && repeats.equals(that.repeats)
                && thresholds.equals(that.thresholds);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}

package io.inferscope.analyzer.config;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.rules.DeclaredRule;
import io.inferscope.analyzer.rules.RuleSettings;
import io.inferscope.analyzer.rules.Rules;
import io.inferscope.analyzer.yaml.YamlValue;
import io.inferscope.analyzer.yaml.YamlValue.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Reads the sections on rules of a file: {@code thresholds}, {@code severity}, {@code disable} and {@code rules}. An
 * invalid entry is a problem of the file and changes nothing.
 */
public final class RuleSections {
    public static final List<String> KEYS = List.of("thresholds", "severity", "disable", "rules");

    /** Severities that a user can set. The severity of a good state is left to rules. */
    static final Map<String, Severity> SEVERITIES =
            Map.of("critical", Severity.CRITICAL, "warning", Severity.WARNING, "info", Severity.INFO);

    /** Each rule is evaluated for each report. */
    private static final int MOST_RULES = 1_000;

    private final ConfigFile file;
    private final Map<Threshold, Double> thresholds = new HashMap<>();
    private final Map<String, String> disabled = new HashMap<>();
    private final Map<String, Severity> severities = new HashMap<>();
    private final List<DeclaredRule> declared = new ArrayList<>();

    /** The ids of all rules, InferScope's own first. */
    private final Set<String> known = new LinkedHashSet<>();

    private RuleSections(ConfigFile file) {
        this.file = file;
        Rules.ALL.forEach(rule -> known.add(rule.info().id()));
    }

    /**
     * Returns the settings of a file on top of others. Keys that are not sections are left to other readers of the
     * file.
     */
    public static RuleSettings of(ConfigFile file, RuleSettings below) {
        RuleSections sections = new RuleSections(file);
        file.root().get("rules").ifPresent(sections::rules);
        file.root().get("thresholds").ifPresent(sections::thresholds);
        file.root().get("severity").ifPresent(sections::severities);
        file.root().get("disable").ifPresent(sections::disable);
        return sections.on(below);
    }

    /** Returns the settings of a file with these sections only: any other key is a problem. */
    public static RuleSettings ofRulesFile(ConfigFile file, RuleSettings below) {
        file.refuseOthers(KEYS);
        return of(file, below);
    }

    private RuleSettings on(RuleSettings below) {
        Map<String, String> allDisabled = new HashMap<>(below.disabled());
        allDisabled.putAll(disabled);
        Map<String, Severity> allSeverities = new HashMap<>(below.severities());
        allSeverities.putAll(severities);
        List<DeclaredRule> allDeclared = new ArrayList<>(declared);
        for (DeclaredRule rule : below.declared()) {
            if (!known.contains(rule.info().id())) {
                allDeclared.add(rule);
            }
        }
        return new RuleSettings(below.thresholds().with(thresholds), allDisabled, allSeverities, allDeclared);
    }

    private void thresholds(YamlValue section) {
        for (Entry entry : file.entries(section, "thresholds")) {
            Threshold threshold = Threshold.byKey().get(entry.key());
            if (threshold == null) {
                file.unknown(
                        entry.line(),
                        "threshold",
                        entry.key(),
                        Threshold.byKey().keySet());
                continue;
            }
            amount(file, entry, threshold.unit()).ifPresent(value -> thresholds.put(threshold, value));
        }
    }

    /** Returns the amount of an entry; adds a problem if it is not of the unit. */
    static OptionalDouble amount(ConfigFile file, Entry entry, MeasureUnit unit) {
        Optional<String> text = file.text(entry.value(), entry.key());
        if (text.isEmpty()) {
            return OptionalDouble.empty();
        }
        OptionalDouble value = unit.parse(text.get());
        if (value.isEmpty()) {
            file.problem(
                    entry.value().line(), entry.key() + " must be " + unit.example() + ", not '" + text.get() + "'");
        }
        return value;
    }

    private void severities(YamlValue section) {
        for (Entry entry : file.entries(section, "severity")) {
            if (isRule(entry.line(), entry.key())) {
                severity(file, entry.value()).ifPresent(severity -> severities.put(entry.key(), severity));
            }
        }
    }

    /** Returns the severity that a value names; adds a problem if it names none. */
    static Optional<Severity> severity(ConfigFile file, YamlValue value) {
        Optional<String> word = file.text(value, "severity");
        Optional<Severity> severity = word.map(SEVERITIES::get);
        if (word.isPresent() && severity.isEmpty()) {
            file.problem(value.line(), "a severity is info, warning or critical, not '" + word.get() + "'");
        }
        return severity;
    }

    private void disable(YamlValue section) {
        for (YamlValue item : file.items(section, "disable")) {
            Optional<String> id = file.text(item, "a rule's id");
            if (id.isPresent() && isRule(item.line(), id.get())) {
                disabled.put(id.get(), file.place(item.line()));
            }
        }
    }

    private boolean isRule(int line, String id) {
        if (!known.contains(id)) {
            file.unknown(line, "rule", id, known);
        }
        return known.contains(id);
    }

    private void rules(YamlValue section) {
        for (YamlValue item : file.items(section, "rules")) {
            if (declared.size() == MOST_RULES) {
                file.problem(item.line(), "more than " + MOST_RULES + " rules");
                return;
            }
            new RuleEntry(file, item, known).read().ifPresent(rule -> {
                declared.add(rule);
                known.add(rule.info().id());
            });
        }
    }
}

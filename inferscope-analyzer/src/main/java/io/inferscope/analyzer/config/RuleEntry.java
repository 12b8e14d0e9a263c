package io.inferscope.analyzer.config;

import io.inferscope.analyzer.metrics.Metric;
import io.inferscope.analyzer.metrics.Metrics;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.rules.DeclaredRule;
import io.inferscope.analyzer.rules.DeclaredRule.Comparison;
import io.inferscope.analyzer.rules.Needs;
import io.inferscope.analyzer.rules.RuleInfo;
import io.inferscope.analyzer.yaml.YamlValue;
import io.inferscope.analyzer.yaml.YamlValue.Entry;
import io.inferscope.analyzer.yaml.YamlValue.Group;
import io.inferscope.analyzer.yaml.YamlValue.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads one rule of a user. */
final class RuleEntry {
    private static final List<String> KEYS = keys();
    private static final int LONGEST_ID = 100;
    private static final Pattern ID = Pattern.compile("(?!.*--)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}]*)}");

    private final ConfigFile file;
    private final YamlValue value;
    private final Set<String> idsBefore;
    private final int problemsBefore;

    /**
     * Prepares for one rule.
     *
     * @param idsBefore the ids of the rules above it in the file
     */
    RuleEntry(ConfigFile file, YamlValue value, Set<String> idsBefore) {
        this.file = file;
        this.value = value;
        this.idsBefore = idsBefore;
        this.problemsBefore = file.problemCount();
    }

    private static List<String> keys() {
        List<String> keys = new ArrayList<>(List.of("id", "title", "metric"));
        for (Comparison comparison : Comparison.values()) {
            keys.add(comparison.id());
        }
        keys.addAll(List.of("message", "advice", "severity", "needs"));
        return List.copyOf(keys);
    }

    /** Returns the rule; empty if it has a problem, which is added to the file's problems. */
    Optional<DeclaredRule> read() {
        if (!(value instanceof Group group)) {
            file.problem(value.line(), "a rule must be a group of keys with values, not " + value.kind());
            return Optional.empty();
        }
        for (Entry entry : group.entries()) {
            if (!KEYS.contains(entry.key())) {
                file.unknown(entry.line(), "key of a rule", entry.key(), KEYS);
            }
        }
        String id = id(group);
        Optional<Entry> comparison = comparison(group);
        Optional<Metric> metric = metric(group, comparison);
        OptionalDouble limit = metric.isPresent() && comparison.isPresent()
                ? RuleSections.amount(file, comparison.get(), metric.get().unit())
                : OptionalDouble.empty();
        String message = prose(group, "message", true);
        String advice = prose(group, "advice", false);
        Optional<Severity> severity = group.get("severity").flatMap(v -> RuleSections.severity(file, v));
        Set<Needs> needs = needs(group);
        if (file.problemCount() > problemsBefore || metric.isEmpty() || comparison.isEmpty() || limit.isEmpty()) {
            return Optional.empty();
        }
        String word = comparison.get().key();
        String title = group.get("title")
                .flatMap(v -> file.text(v, "title"))
                .orElse(metric.get().name() + ' ' + word.replace('-', ' ') + " the limit");
        return Optional.of(new DeclaredRule(
                new RuleInfo(id, title, needs.toArray(Needs[]::new)),
                metric.get(),
                comparisonOf(word).orElseThrow(),
                limit.getAsDouble(),
                message,
                advice,
                severity));
    }

    private String id(Group group) {
        Optional<String> id = required(group, "id");
        if (id.isEmpty()) {
            return "";
        }
        int line = group.get("id").orElse(group).line();
        String name =
                id.get().startsWith(DeclaredRule.PREFIX) ? id.get().substring(DeclaredRule.PREFIX.length()) : id.get();
        if (name.length() > LONGEST_ID) {
            file.problem(line, "an id has at most " + LONGEST_ID + " characters");
        } else if (!ID.matcher(name).matches()) {
            file.problem(line, "an id is made of a-z, 0-9 and single hyphens, not '" + id.get() + "'");
        }
        String whole = DeclaredRule.PREFIX + name;
        if (idsBefore.contains(whole)) {
            file.problem(line, "a rule above is called '" + name + "' already");
        }
        return whole;
    }

    private Optional<String> required(Group group, String key) {
        Optional<YamlValue> found = group.get(key);
        if (found.isEmpty()) {
            file.problem(group.line(), "the rule has no '" + key + "'");
        }
        return found.flatMap(v -> file.text(v, key));
    }

    private Optional<Metric> metric(Group group, Optional<Entry> comparison) {
        Optional<String> name = required(group, "metric");
        if (name.isEmpty()) {
            return Optional.empty();
        }
        int line = group.get("metric").orElse(group).line();
        String amount = comparison
                .map(Entry::value)
                .filter(Text.class::isInstance)
                .map(text -> ((Text) text).value().strip())
                .orElse("");
        Optional<Metric> metric = Metrics.named(name.get(), amount);
        if (metric.isEmpty() && Metrics.isTimeOfLedger(name.get())) {
            comparison.ifPresent(entry -> file.problem(
                    entry.line(),
                    name.get() + " is compared with a percentage or a time, such as 20% or 5ms, not '" + amount + "'"));
        } else if (metric.isEmpty() && Metrics.question(name.get()).isPresent()) {
            file.problem(line, name.get() + " is not a figure: only --fail-on can use it");
        } else if (metric.isEmpty()) {
            file.unknown(line, "metric", name.get(), Metrics.names());
        }
        return metric;
    }

    private Optional<Entry> comparison(Group group) {
        List<Entry> found = group.entries().stream()
                .filter(entry -> comparisonOf(entry.key()).isPresent())
                .toList();
        if (found.size() != 1) {
            int line = found.isEmpty() ? group.line() : found.get(1).line();
            file.problem(line, "a rule has exactly one of 'above', 'at-least', 'below' and 'at-most'");
            return Optional.empty();
        }
        return Optional.of(found.get(0));
    }

    private static Optional<Comparison> comparisonOf(String word) {
        return Arrays.stream(Comparison.values())
                .filter(comparison -> comparison.id().equals(word))
                .findFirst();
    }

    private String prose(Group group, String key, boolean needed) {
        Optional<String> text = needed || group.get(key).isPresent() ? required(group, key) : Optional.empty();
        Matcher names = PLACEHOLDER.matcher(text.orElse(""));
        while (names.find()) {
            if (!DeclaredRule.PLACEHOLDERS.contains(names.group(1))) {
                file.unknown(
                        group.get(key).orElse(group).line(),
                        "name in braces",
                        names.group(1),
                        DeclaredRule.PLACEHOLDERS);
            }
        }
        return text.orElse("");
    }

    private Set<Needs> needs(Group group) {
        Set<Needs> needs = EnumSet.noneOf(Needs.class);
        for (YamlValue item :
                group.get("needs").map(v -> file.items(v, "needs")).orElse(List.of())) {
            Optional<String> word = file.text(item, "a need");
            Optional<Needs> need = word.flatMap(w ->
                    Arrays.stream(Needs.values()).filter(n -> n.id().equals(w)).findFirst());
            if (word.isPresent() && need.isEmpty()) {
                file.unknown(
                        item.line(),
                        "need",
                        word.get(),
                        Arrays.stream(Needs.values()).map(Needs::id).toList());
            }
            need.ifPresent(needs::add);
        }
        return needs;
    }
}

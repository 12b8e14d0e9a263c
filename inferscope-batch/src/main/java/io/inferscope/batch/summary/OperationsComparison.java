package io.inferscope.batch.summary;

import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Compares models by the {@link OperationCounts} that one tracer recorded in one mode: operators, kernels, operators with
 * shapes. The result is the part {@code comparison} of the overview, an object for each tracer and mode with results of
 * at least two models:
 *
 * <pre>
 *   tracer, mode      whose results they are
 *   models            folders of the models
 *   unreadable        how many more models were traced whose results cannot be read
 *   operators_of_all  how many operators all models have
 *   operators_of_any  how many operators at least one model has
 *   by_model          [{model, operators, in_no_other}]: how many operators, and the names of those that no other has
 *   shared_KIND       [{name, models, count}]: what at least two models have, and how often in all together
 *   pairs             [{models, operators_of_both, operators_of_either}], for each two of the first models
 * </pre>
 */
final class OperationsComparison {
    /** The kinds of things compared, in the order of display. */
    static final List<String> KINDS = List.of("operators", "kernels", "shapes");

    static final String SHARED = "shared_";
    private static final int MOST = 100;

    /** The most models that are compared pairwise, because the number of pairs grows with the square. */
    private static final int MOST_ALIKE = 40;

    private final Set<String> models = new TreeSet<>();
    private int unreadable;

    /** Kind, name, model, and how often the model has it. */
    private final Map<String, Map<String, Map<String, Long>>> counts = new HashMap<>();

    private record Shared(String name, int models, long count) {}

    private OperationsComparison() {}

    /**
     * Reads the operation files of these pairs and compares them; models whose file cannot be read are only counted.
     */
    static List<Map<String, @Nullable Object>> read(Path output, List<SummaryRow> rows) {
        Map<String, Map<String, OperationsComparison>> readers = new TreeMap<>();
        for (SummaryRow row : rows) {
            readers.computeIfAbsent(row.tracer(), tracer -> new TreeMap<>())
                    .computeIfAbsent(row.mode(), mode -> new OperationsComparison())
                    .add(output.resolve(row.folder()).resolve(OperationCounts.FILE), row.model());
        }
        List<Map<String, @Nullable Object>> subjects = new ArrayList<>();
        readers.forEach((tracer, modes) -> modes.forEach((mode, reader) -> {
            if (reader.models.size() > 1) {
                subjects.add(reader.subject(tracer, mode));
            }
        }));
        return subjects;
    }

    private void add(Path file, String model) {
        try {
            OperationCounts seen = OperationCounts.read(file);
            note("operators", seen.operators(), model);
            note("kernels", seen.kernels(), model);
            note("shapes", seen.shapes(), model);
            models.add(model);
        } catch (IOException damaged) {
            unreadable++;
        }
    }

    private void note(String kind, Map<String, Long> seen, String model) {
        Map<String, Map<String, Long>> known = of(kind);
        seen.forEach((name, count) ->
                known.computeIfAbsent(name, n -> new HashMap<>()).put(model, count));
    }

    private Map<String, Map<String, Long>> of(String kind) {
        return counts.computeIfAbsent(kind, k -> new HashMap<>());
    }

    private Map<String, @Nullable Object> subject(String tracer, String mode) {
        Map<String, Map<String, Long>> operators = of("operators");
        Map<String, Set<String>> byModel = new TreeMap<>();
        operators.forEach((name, counts) -> counts.keySet()
                .forEach(model ->
                        byModel.computeIfAbsent(model, m -> new TreeSet<>()).add(name)));
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("tracer", tracer);
        json.put("mode", mode);
        json.put("models", List.copyOf(models));
        json.put("unreadable", unreadable);
        json.put(
                "operators_of_all",
                operators.values().stream()
                        .filter(counts -> counts.size() == byModel.size())
                        .count());
        json.put("operators_of_any", operators.size());
        List<Map<String, @Nullable Object>> own = new ArrayList<>();
        byModel.forEach((model, all) -> own.add(JsonValues.of(
                "model",
                model,
                "operators",
                all.size(),
                "in_no_other",
                all.stream()
                        .filter(name -> operators.getOrDefault(name, Map.of()).size() == 1)
                        .toList())));
        json.put("by_model", own);
        KINDS.forEach(kind -> json.put(SHARED + kind, most(of(kind))));
        json.put("pairs", alike(byModel));
        return json;
    }

    private static List<Map<String, @Nullable Object>> most(Map<String, Map<String, Long>> counts) {
        return counts.entrySet().stream()
                .filter(e -> e.getValue().size() > 1)
                .map(e -> new Shared(
                        e.getKey(),
                        e.getValue().size(),
                        e.getValue().values().stream()
                                .mapToLong(Long::longValue)
                                .sum()))
                .sorted(Comparator.comparingInt(Shared::models)
                        .thenComparingLong(Shared::count)
                        .reversed()
                        .thenComparing(Shared::name))
                .limit(MOST)
                .map(one -> JsonValues.of("name", one.name, "models", one.models, "count", one.count))
                .toList();
    }

    private static List<Map<String, @Nullable Object>> alike(Map<String, Set<String>> byModel) {
        List<String> first = byModel.keySet().stream().limit(MOST_ALIKE).toList();
        List<Map<String, @Nullable Object>> found = new ArrayList<>();
        for (int i = 0; i < first.size(); i++) {
            Set<String> own = byModel.getOrDefault(first.get(i), Set.of());
            for (String other : first.subList(i + 1, first.size())) {
                Set<String> others = byModel.getOrDefault(other, Set.of());
                int both = (int) own.stream().filter(others::contains).count();
                int either = own.size() + others.size() - both;
                found.add(JsonValues.of(
                        "models",
                        List.of(first.get(i), other),
                        "operators_of_both",
                        both,
                        "operators_of_either",
                        either));
            }
        }
        return found;
    }
}

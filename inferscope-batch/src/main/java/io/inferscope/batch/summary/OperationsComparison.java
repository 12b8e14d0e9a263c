package io.inferscope.batch.summary;

import io.inferscope.batch.summary.Comparison.Alike;
import io.inferscope.batch.summary.Comparison.Own;
import io.inferscope.batch.summary.Comparison.Shared;
import io.inferscope.batch.summary.Comparison.Subject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares models by the {@link Operations} that one tracer recorded in one mode: operators, kernels, operators with
 * shapes.
 */
final class OperationsComparison {
    private static final int MOST = 100;

    /** The most models that are compared pairwise, because the number of pairs grows with the square. */
    private static final int MOST_ALIKE = 40;

    private final Set<String> models = new TreeSet<>();
    private int unreadable;
    private final Map<String, Map<String, Long>> operators = new HashMap<>();
    private final Map<String, Map<String, Long>> kernels = new HashMap<>();
    private final Map<String, Map<String, Long>> shapes = new HashMap<>();

    private OperationsComparison() {}

    /**
     * Reads the operation files of these pairs and compares them; models whose file cannot be read are only counted.
     */
    static Comparison read(Path output, List<SummaryRow> rows) {
        Map<String, Map<String, OperationsComparison>> readers = new TreeMap<>();
        for (SummaryRow row : rows) {
            readers.computeIfAbsent(row.tracer(), tracer -> new TreeMap<>())
                    .computeIfAbsent(row.mode(), mode -> new OperationsComparison())
                    .add(output.resolve(row.folder()).resolve(Operations.FILE), row.model());
        }
        List<Subject> subjects = new ArrayList<>();
        readers.forEach((tracer, modes) -> modes.forEach((mode, reader) -> {
            if (reader.models.size() > 1) {
                subjects.add(reader.subject(tracer, mode));
            }
        }));
        return new Comparison(subjects);
    }

    private void add(Path file, String model) {
        try {
            Operations seen = Operations.read(file);
            seen.operators().forEach((name, count) -> note(operators, name, model, count));
            seen.kernels().forEach((name, count) -> note(kernels, name, model, count));
            seen.shapes().forEach((name, count) -> note(shapes, name, model, count));
            models.add(model);
        } catch (IOException damaged) {
            unreadable++;
        }
    }

    private static void note(Map<String, Map<String, Long>> what, String name, String model, long count) {
        what.computeIfAbsent(name, n -> new HashMap<>()).put(model, count);
    }

    private Subject subject(String tracer, String mode) {
        Map<String, List<Shared>> shared = new java.util.LinkedHashMap<>();
        shared.put("operators", most(operators));
        shared.put("kernels", most(kernels));
        shared.put("shapes", most(shapes));
        Map<String, Set<String>> byModel = operatorsByModel();
        int ofAll = (int) operators.values().stream()
                .filter(counts -> counts.size() == byModel.size())
                .count();
        return new Subject(
                tracer,
                mode,
                List.copyOf(models),
                unreadable,
                ofAll,
                operators.size(),
                byModel.keySet().stream().map(model -> own(model, byModel)).toList(),
                shared,
                alike(byModel));
    }

    private Map<String, Set<String>> operatorsByModel() {
        Map<String, Set<String>> byModel = new TreeMap<>();
        operators.forEach((name, counts) -> counts.keySet()
                .forEach(model ->
                        byModel.computeIfAbsent(model, m -> new TreeSet<>()).add(name)));
        return byModel;
    }

    private Own own(String model, Map<String, Set<String>> byModel) {
        Set<String> all = byModel.getOrDefault(model, Set.of());
        List<String> alone = all.stream()
                .filter(name -> operators.getOrDefault(name, Map.of()).size() == 1)
                .toList();
        return new Own(model, all.size(), alone);
    }

    private static List<Shared> most(Map<String, Map<String, Long>> counts) {
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
                .toList();
    }

    private static List<Alike> alike(Map<String, Set<String>> byModel) {
        List<String> first = byModel.keySet().stream().limit(MOST_ALIKE).toList();
        List<Alike> found = new ArrayList<>();
        for (int i = 0; i < first.size(); i++) {
            Set<String> own = byModel.getOrDefault(first.get(i), Set.of());
            for (String other : first.subList(i + 1, first.size())) {
                Set<String> others = byModel.getOrDefault(other, Set.of());
                int both = (int) own.stream().filter(others::contains).count();
                found.add(new Alike(List.of(first.get(i), other), both, own.size() + others.size() - both));
            }
        }
        return found;
    }
}

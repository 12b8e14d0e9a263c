package io.inferscope.collectors.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What models have in common: operators, kernels, and operators on the same shapes, as one tracer in one mode saw them. */
final class Comparison {
    private static final String FILE = "_OPERATIONS.json";
    private static final int MOST = 100;

    /** Each two of so many models are compared: their number grows with its square. */
    private static final int MOST_ALIKE = 40;

    private static final JsonFactory JSON = new JsonFactory();

    private final Map<String, Subject> subjects = new TreeMap<>();

    /** What one tracer saw of all models in one mode: by name the models that have it, each with its count. */
    private static final class Subject {
        private final Set<String> models = new TreeSet<>();
        private int damaged;
        private final Map<String, Map<String, Long>> operators = new TreeMap<>();
        private final Map<String, Map<String, Long>> kernels = new TreeMap<>();
        private final Map<String, Set<String>> shapes = new TreeMap<>();
    }

    /**
     * Something that at least two models have.
     *
     * @param name its name
     * @param models how many models have it
     * @param count how often it occurs in all of them together
     */
    record Shared(String name, int models, long count) {}

    private Comparison() {}

    /** Reads what the tracers of successful pairs noted; one that cannot be read counts as none. */
    static Comparison of(Path output, List<SummaryRow> rows) {
        Comparison comparison = new Comparison();
        for (SummaryRow row : rows) {
            Path file = output.resolve(row.folder()).resolve(FILE);
            if (row.isFine() && Files.isRegularFile(file)) {
                Subject subject =
                        comparison.subjects.computeIfAbsent(row.tracer() + " " + row.mode(), name -> new Subject());
                try (JsonParser parser = JSON.createParser(file.toFile())) {
                    read(parser, row.model(), subject);
                    subject.models.add(row.model());
                } catch (IOException damaged) {
                    subject.damaged++;
                }
            }
        }
        comparison.subjects.values().removeIf(subject -> subject.models.size() < 2);
        return comparison;
    }

    private static void read(JsonParser parser, String model, Subject subject) throws IOException {
        String section = "";
        String name = "";
        while (parser.nextToken() != null) {
            int depth = depth(parser);
            if (parser.currentToken() == JsonToken.FIELD_NAME) {
                section = depth == 1 ? parser.currentName() : section;
                name = depth == 2 ? parser.currentName() : name;
            } else if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
                boolean kernel = section.equals("kernels");
                (kernel ? subject.kernels : subject.operators)
                        .computeIfAbsent(name, n -> new TreeMap<>())
                        .put(model, parser.getLongValue());
            } else if (parser.currentToken() == JsonToken.VALUE_STRING) {
                subject.shapes
                        .computeIfAbsent(name + " " + parser.getText(), n -> new TreeSet<>())
                        .add(model);
            }
        }
    }

    private static int depth(JsonParser parser) {
        int depth = 0;
        for (var at = parser.getParsingContext(); !at.inRoot(); at = at.getParent()) {
            depth++;
        }
        return depth;
    }

    /** Returns for each tracer and mode what is shared, by kind of thing. */
    Map<String, Map<String, List<Shared>>> shared() {
        Map<String, Map<String, List<Shared>>> found = new LinkedHashMap<>();
        subjects.forEach((name, subject) -> {
            Map<String, List<Shared>> kinds = new LinkedHashMap<>();
            kinds.put("operators", counted(subject.operators));
            kinds.put("kernels", counted(subject.kernels));
            kinds.put(
                    "shapes",
                    most(subject.shapes.entrySet().stream()
                            .map(e -> new Shared(
                                    e.getKey(),
                                    e.getValue().size(),
                                    e.getValue().size()))
                            .toList()));
            found.put(name, kinds);
        });
        return found;
    }

    private static List<Shared> counted(Map<String, Map<String, Long>> counts) {
        return most(counts.entrySet().stream()
                .map(e -> new Shared(
                        e.getKey(),
                        e.getValue().size(),
                        e.getValue().values().stream()
                                .mapToLong(Long::longValue)
                                .sum()))
                .toList());
    }

    private static List<Shared> most(List<Shared> all) {
        return all.stream()
                .filter(shared -> shared.models() > 1)
                .sorted(Comparator.comparingInt(Shared::models)
                        .thenComparingLong(Shared::count)
                        .reversed()
                        .thenComparing(Shared::name))
                .limit(MOST)
                .toList();
    }

    /** Returns how many models a tracer saw in a mode. */
    int models(String subject) {
        Subject found = subjects.get(subject);
        return found == null ? 0 : found.models.size();
    }

    /** Returns for each two of the first models how many operators both have of those that either has: by the names of both. */
    private static List<Map<String, Object>> likeness(Subject subject) {
        List<Map<String, Object>> found = new ArrayList<>();
        Map<String, Set<String>> sets = new TreeMap<>();
        subject.operators.forEach((name, counts) -> counts.keySet()
                .forEach(model ->
                        sets.computeIfAbsent(model, m -> new TreeSet<>()).add(name)));
        List<String> models = List.copyOf(sets.keySet());
        int most = Math.min(models.size(), MOST_ALIKE);
        for (int i = 0; i < most; i++) {
            for (String other : models.subList(i + 1, most)) {
                Set<String> either = new TreeSet<>(sets.get(models.get(i)));
                Set<String> both = new TreeSet<>(either);
                both.retainAll(sets.get(other));
                either.addAll(sets.get(other));
                Map<String, Object> pair = new LinkedHashMap<>();
                pair.put("models", List.of(models.get(i), other));
                pair.put("operators_of_both", both.size());
                pair.put("operators_of_either", either.size());
                found.add(pair);
            }
        }
        return found;
    }

    List<Map<String, Object>> json() {
        List<Map<String, Object>> document = new ArrayList<>();
        Map<String, Map<String, List<Shared>>> all = shared();
        subjects.forEach((name, seen) -> {
            Map<String, Object> subject = new LinkedHashMap<>();
            subject.put("tracer", name.substring(0, name.indexOf(' ')));
            subject.put("mode", name.substring(name.indexOf(' ') + 1));
            subject.put("models", seen.models);
            subject.put("unreadable", seen.damaged);
            all.getOrDefault(name, Map.of())
                    .forEach((kind, shared) -> subject.put(
                            "shared_" + kind,
                            shared.stream().map(Comparison::json).toList()));
            subject.put("pairs", likeness(seen));
            document.add(subject);
        });
        return document;
    }

    private static Map<String, Object> json(Shared shared) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", shared.name());
        json.put("models", shared.models());
        json.put("count", shared.count());
        return json;
    }
}

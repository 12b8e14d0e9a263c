package io.inferscope.collectors.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.collectors.trace.Comparison.Alike;
import io.inferscope.collectors.trace.Comparison.Own;
import io.inferscope.collectors.trace.Comparison.Shared;
import io.inferscope.collectors.trace.Comparison.Subject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Compares models by what one tracer in one mode noted of them in {@code _OPERATIONS.json}: operators, kernels, operators on shapes. */
final class OperationsReader {
    /** The name of such a file. */
    static final String FILE = "_OPERATIONS.json";

    private static final int MOST = 100;

    /** Each two of so many models are compared: their number grows with its square. */
    private static final int MOST_ALIKE = 40;

    private static final JsonFactory JSON = new JsonFactory();

    private final Set<String> models = new TreeSet<>();
    private int unreadable;
    private final Map<String, Map<String, Long>> operators = new HashMap<>();
    private final Map<String, Map<String, Long>> kernels = new HashMap<>();
    private final Map<String, Map<String, Long>> shapes = new HashMap<>();

    private OperationsReader() {}

    /** Reads the files of these pairs; one that cannot be read counts as none. */
    static Comparison read(Path output, List<SummaryRow> rows) {
        Map<String, Map<String, OperationsReader>> readers = new TreeMap<>();
        for (SummaryRow row : rows) {
            readers.computeIfAbsent(row.tracer(), tracer -> new TreeMap<>())
                    .computeIfAbsent(row.mode(), mode -> new OperationsReader())
                    .add(output.resolve(row.folder()).resolve(FILE), row.model());
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
        try (InputStream in = Files.newInputStream(file);
                JsonParser parser = JSON.createParser(in)) {
            read(parser, model);
            models.add(model);
        } catch (IOException damaged) {
            unreadable++;
        }
    }

    private void read(JsonParser parser, String model) throws IOException {
        int depth = 0;
        String section = "";
        String name = "";
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
            if (token.isStructStart()) {
                depth++;
            } else if (token.isStructEnd()) {
                depth--;
            } else if (token == JsonToken.FIELD_NAME) {
                section = depth == 1 ? parser.currentName() : section;
                name = depth == 2 ? parser.currentName() : name;
            } else if (token == JsonToken.VALUE_NUMBER_INT) {
                note(section.equals("kernels") ? kernels : operators, name, model, parser.getLongValue());
            } else if (token == JsonToken.VALUE_STRING) {
                note(shapes, name + " " + parser.getText(), model, 1);
            }
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

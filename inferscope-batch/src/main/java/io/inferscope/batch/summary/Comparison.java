package io.inferscope.batch.summary;

import io.inferscope.batch.JsonTree;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What models have in common.
 *
 * @param subjects one for each tracer and mode with results of at least two models, sorted by their names
 */
record Comparison(List<Subject> subjects) {
    /** The kinds of things compared, in the order of display. */
    static final List<String> KINDS = List.of("operators", "kernels", "shapes");

    private static final String SHARED = "shared_";

    /**
     * The comparison of all models that one tracer traced in one mode.
     *
     * @param tracer the tracer
     * @param mode {@code eval} or {@code train}
     * @param models folders of the models
     * @param unreadable how many more models were traced whose results cannot be read
     * @param operatorsOfAll how many operators all models have
     * @param operatorsOfAny how many operators at least one model has
     * @param own the operators of each model
     * @param shared for each of {@link #KINDS}, the things that at least two models have, most frequent first
     * @param alike how many operators models share, for each two of the first models
     */
    record Subject(
            String tracer,
            String mode,
            List<String> models,
            int unreadable,
            int operatorsOfAll,
            int operatorsOfAny,
            List<Own> own,
            Map<String, List<Shared>> shared,
            List<Alike> alike) {
        private Map<String, @Nullable Object> json() {
            Map<String, @Nullable Object> json = JsonTree.of(
                    "tracer", tracer,
                    "mode", mode,
                    "models", models,
                    "unreadable", unreadable,
                    "operators_of_all", operatorsOfAll,
                    "operators_of_any", operatorsOfAny,
                    "by_model", own.stream().map(Own::json).toList());
            shared.forEach((kind, found) ->
                    json.put(SHARED + kind, found.stream().map(Shared::json).toList()));
            json.put("pairs", alike.stream().map(Alike::json).toList());
            return json;
        }

        private static Subject of(Map<String, @Nullable Object> json) {
            Map<String, List<Shared>> shared = new LinkedHashMap<>();
            for (String kind : KINDS) {
                shared.put(
                        kind,
                        JsonTree.objects(json, SHARED + kind).stream()
                                .map(Shared::of)
                                .toList());
            }
            return new Subject(
                    JsonTree.text(json, "tracer"),
                    JsonTree.text(json, "mode"),
                    JsonTree.texts(json, "models"),
                    (int) JsonTree.number(json, "unreadable"),
                    (int) JsonTree.number(json, "operators_of_all"),
                    (int) JsonTree.number(json, "operators_of_any"),
                    JsonTree.objects(json, "by_model").stream().map(Own::of).toList(),
                    shared,
                    JsonTree.objects(json, "pairs").stream().map(Alike::of).toList());
        }
    }

    /**
     * The operators of one model.
     *
     * @param model its folder
     * @param operators how many operators
     * @param alone operators that no other model has, sorted by name
     */
    record Own(String model, int operators, List<String> alone) {
        private Map<String, @Nullable Object> json() {
            return JsonTree.of("model", model, "operators", operators, "in_no_other", alone);
        }

        private static Own of(Map<String, @Nullable Object> json) {
            return new Own(
                    JsonTree.text(json, "model"),
                    (int) JsonTree.number(json, "operators"),
                    JsonTree.texts(json, "in_no_other"));
        }
    }

    /**
     * An operator, kernel or operator with shapes that at least two models have.
     *
     * @param name its name
     * @param models how many models have it
     * @param count how often it occurs in all models together
     */
    record Shared(String name, int models, long count) {
        private Map<String, @Nullable Object> json() {
            return JsonTree.of("name", name, "models", models, "count", count);
        }

        private static Shared of(Map<String, @Nullable Object> json) {
            return new Shared(JsonTree.text(json, "name"), (int) JsonTree.number(json, "models"), (long)
                    JsonTree.number(json, "count"));
        }
    }

    /**
     * How many operators two models share, by name.
     *
     * @param models the folders of both
     * @param both how many operators both have
     * @param either how many operators at least one of them has
     */
    record Alike(List<String> models, int both, int either) {
        /** Returns {@code both / either}, from 0 to 1. */
        double ratio() {
            return either == 0 ? 0 : (double) both / either;
        }

        /** Returns the one of both models that is not {@code model}. */
        String other(String model) {
            return models.get(models.get(0).equals(model) ? 1 : 0);
        }

        private Map<String, @Nullable Object> json() {
            return JsonTree.of("models", models, "operators_of_both", both, "operators_of_either", either);
        }

        private static Alike of(Map<String, @Nullable Object> json) {
            return new Alike(JsonTree.texts(json, "models"), (int) JsonTree.number(json, "operators_of_both"), (int)
                    JsonTree.number(json, "operators_of_either"));
        }
    }

    /** Returns the comparison as a JSON array. */
    List<Map<String, @Nullable Object>> json() {
        return subjects.stream().map(Subject::json).toList();
    }

    /** Returns the comparison that {@link #json} wrote. */
    static Comparison of(List<Map<String, @Nullable Object>> json) {
        return new Comparison(json.stream().map(Subject::of).toList());
    }
}

package io.inferscope.cli.trace;

import io.inferscope.batch.Installation;
import io.inferscope.batch.ModelList;
import io.inferscope.batch.ModelRef;
import io.inferscope.batch.Pair;
import io.inferscope.batch.TracerInfo;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Options;
import io.inferscope.timeline.files.FileProblem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Selects the models and tracers of a batch. */
final class TraceSelection extends Options {
    private static final String ALL = TraceOption.TRACERS.fallback();

    private final OptionSpec models =
            list("--model=MODEL", String.class, "A folder, or a name on the hub. May be repeated.");
    private final OptionSpec lists = list("--model-list=FILE", Path.class, "A file with one model a line.");
    private final OptionSpec skipLists = list("--skip-model-list=FILE", Path.class, "A file with models to leave out.");

    TraceSelection(CommandSpec spec) {
        super(spec);
    }

    /** Adds the options that name models. */
    TraceSelection add() {
        spec.addOption(models).addOption(lists).addOption(skipLists);
        return this;
    }

    private static OptionSpec list(String names, Class<?> type, String description) {
        return CommandSpecs.list(names, type, description)
                .initialValue(new ArrayList<>())
                .build();
    }

    /** Returns the named models without the excluded ones, each once. */
    List<ModelRef> models() {
        List<String> names = new ArrayList<>(models.<List<String>>getValue());
        names.addAll(read(lists));
        if (names.isEmpty()) {
            throw misuse("no model: name one with --model, or a file with --model-list");
        }
        List<ModelRef> chosen = ModelList.of(names, read(skipLists));
        if (chosen.isEmpty()) {
            throw misuse("every model is on the skip list");
        }
        return chosen;
    }

    private List<String> read(OptionSpec lists) {
        List<String> names = new ArrayList<>();
        for (Path file : lists.<List<Path>>getValue()) {
            try {
                names.addAll(ModelList.read(file));
            } catch (IOException e) {
                throw misuse(lists.longestName() + " cannot be read: " + FileProblem.describe(e));
            }
        }
        return names;
    }

    static List<Pair> pairs(List<ModelRef> models, String mode, List<TracerInfo> tracers) {
        return models.stream()
                .flatMap(model -> tracers.stream().map(tracer -> new Pair(model, mode, tracer)))
                .toList();
    }

    /** Returns the tracers in the comma-separated {@code names}, each once. */
    List<TracerInfo> tracers(Installation installation, String framework, String names) {
        if (names.equals(ALL)) {
            return installation.tracers().values().stream()
                    .filter(tracer -> tracer.frameworks().contains(framework))
                    .toList();
        }
        Set<TracerInfo> chosen = new LinkedHashSet<>();
        for (String name : names.split(",", -1)) {
            TracerInfo tracer = tracer(installation, name.strip());
            if (!tracer.frameworks().contains(framework)) {
                throw misuse("tracer " + tracer.name() + " is for " + String.join(", ", tracer.frameworks())
                        + ", not for " + framework);
            }
            chosen.add(tracer);
        }
        return List.copyOf(chosen);
    }

    TracerInfo tracer(Installation installation, String name) {
        TracerInfo found = installation.tracers().get(name);
        if (found == null) {
            throw misuse("no tracer '" + name + "'; there are "
                    + String.join(", ", installation.tracers().keySet()));
        }
        return found;
    }
}

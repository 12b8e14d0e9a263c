package io.inferscope.cli.trace;

import io.inferscope.analyzer.config.ConfigFile;
import io.inferscope.analyzer.yaml.YamlValue;
import io.inferscope.analyzer.yaml.YamlValue.Entry;
import io.inferscope.analyzer.yaml.YamlValue.Group;
import io.inferscope.analyzer.yaml.YamlValue.Items;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.timeline.files.FileProblem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * The file of {@code trace --config}: options by their {@link TraceOption#key}, and {@code environment}.
 *
 * @param values values of options
 * @param environment variables by layer
 */
record TraceConfig(Map<TraceOption, String> values, Map<String, Map<String, String>> environment) {
    static final TraceConfig NONE = new TraceConfig(Map.of(), Map.of());

    private static final String ENVIRONMENT = "environment";
    private static final String TRACERS = "tracers";
    private static final List<String> LAYERS = List.of("common", "offline", "download", "huggingface", "vllm", TRACERS);

    /** Reads a file; an error in it ends the command. */
    static TraceConfig read(Path file, CommandLine line) {
        ConfigFile config;
        try {
            config = ConfigFile.read(file.toString(), file);
        } catch (IOException e) {
            throw new CommandLine.ParameterException(line, "--config cannot be read: " + FileProblem.describe(e));
        }
        config.refuseOthers(
                Stream.concat(Arrays.stream(TraceOption.values()).map(TraceOption::key), Stream.of(ENVIRONMENT))
                        .toList());
        Map<TraceOption, String> values = new EnumMap<>(TraceOption.class);
        for (TraceOption option : TraceOption.values()) {
            config.root()
                    .get(option.key())
                    .flatMap(value -> text(config, option.key(), value))
                    .ifPresent(text -> values.put(option, text));
        }
        Map<String, Map<String, String>> environment = new LinkedHashMap<>();
        config.root().get(ENVIRONMENT).ifPresent(value -> layers(config, value, environment));
        if (!config.problems().isEmpty()) {
            throw new RulesOption.Mistakes(line, config.problems());
        }
        return new TraceConfig(values, environment);
    }

    Optional<String> value(TraceOption option) {
        return Optional.ofNullable(values.get(option));
    }

    /** A list is as good as a text with commas. */
    private static Optional<String> text(ConfigFile config, String key, YamlValue value) {
        if (value instanceof Items items) {
            return Optional.of(items.values().stream()
                    .flatMap(item -> config.text(item, "an element of " + key).stream())
                    .collect(Collectors.joining(",")));
        }
        return config.text(value, key);
    }

    private static void layers(ConfigFile config, YamlValue value, Map<String, Map<String, String>> into) {
        for (Entry layer : entries(config, value, ENVIRONMENT)) {
            if (!LAYERS.contains(layer.key())) {
                config.problem(
                        layer.line(),
                        "unknown layer '" + layer.key() + "' of " + ENVIRONMENT + "; there are "
                                + String.join(", ", LAYERS));
            } else if (layer.key().equals(TRACERS)) {
                entries(config, layer.value(), TRACERS)
                        .forEach(tracer -> into.put("tracer." + tracer.key(), variables(config, tracer)));
            } else {
                into.put(layer.key(), variables(config, layer));
            }
        }
    }

    private static Map<String, String> variables(ConfigFile config, Entry layer) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (Entry variable : entries(config, layer.value(), layer.key())) {
            config.text(variable.value(), variable.key()).ifPresent(text -> variables.put(variable.key(), text));
        }
        return variables;
    }

    private static List<Entry> entries(ConfigFile config, YamlValue value, String what) {
        if (value instanceof Group group) {
            return group.entries();
        }
        config.problem(value.line(), what + " must be a group of keys with values, not " + value.kind());
        return List.of();
    }
}

package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Specs;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** What to record of shapes. An option that is not given leaves the variable of the environment as it is. */
final class ShapesOptions {
    private static final String PREFIX = "INFERSCOPE_SHAPES";
    private static final String ALIAS = "SGLANG_PROFILE_SHAPES";
    private static final String NUMBER = "\\d{1,9}";

    private final OptionSpec file = OptionSpec.builder("-o", "--file")
            .type(Path.class)
            .paramLabel("FILE")
            .description("Write the operators to FILE, the summary beside it.")
            .build();
    private final OptionSpec rank =
            text("--rank", "N", "Record the worker of rank N, or all, each into a file of its own (default: 0).");
    private final OptionSpec skip = text("--skip-warmup", "N", "Leave out the first N forward passes (default: 0).");
    private final OptionSpec passes =
            text("--passes", "N", "Record N forward passes after that; 0 for all (default: 0).");
    private final OptionSpec dedupe =
            Specs.flag("--dedupe", "Record repeated calls once, with their number; the default for diffusion models.");
    private final OptionSpec noDedupe =
            Specs.flag("--no-dedupe", "Record every call; the default for all other models.");
    private final OptionSpec fields =
            text("--fields", "LIST", "What to record of a tensor beside shape and dtype: device, stride.");

    private CommandSpec spec = CommandSpec.create();

    private static OptionSpec text(String name, String label, String description) {
        return OptionSpec.builder(name)
                .type(String.class)
                .paramLabel(label)
                .description(description)
                .build();
    }

    void addTo(CommandSpec command) {
        spec = command;
        command.addOption(file).addOption(rank).addOption(skip).addOption(passes);
        command.addOption(dedupe).addOption(noDedupe).addOption(fields);
    }

    /**
     * Returns the variables that the recorder reads.
     *
     * @throws ParameterException when an option makes no sense
     */
    Map<String, String> variables() {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put(PREFIX, "1");
        put(variables, "_RANK", rank, "all|" + NUMBER, "expected a number, or all");
        put(variables, "_SKIP_WARMUP", skip, NUMBER, "expected a number");
        put(variables, "_LOG_N_PASSES", passes, NUMBER, "expected a number");
        put(
                variables,
                "_FIELDS",
                fields,
                "(device|stride)(,(device|stride))*",
                "expected device, stride or device,stride");
        if (Specs.isSet(dedupe) && Specs.isSet(noDedupe)) {
            throw new ParameterException(spec.commandLine(), "--dedupe and --no-dedupe exclude each other");
        }
        if (Specs.isSet(dedupe) || Specs.isSet(noDedupe)) {
            variables.put(PREFIX + "_DEDUPE", Specs.isSet(dedupe) ? "1" : "0");
        }
        return variables;
    }

    private void put(Map<String, String> variables, String ending, OptionSpec option, String pattern, String expected) {
        String text = option.getValue();
        if (text != null && !text.matches(pattern)) {
            String problem = option.longestName() + " " + text + ": " + expected;
            throw new ParameterException(spec.commandLine(), problem);
        }
        if (text != null) {
            variables.put(PREFIX + ending, text);
        }
    }

    /** Adds the file: the one named, else that of the environment, else {@code fallback}. Returns it. */
    Path addFile(Map<String, String> variables, Path fallback) {
        Path named = file.getValue();
        String said =
                System.getenv().getOrDefault(PREFIX + "_FILE", System.getenv().getOrDefault(ALIAS + "_FILE", ""));
        Path path = named != null ? named : said.isEmpty() ? fallback : Path.of(said);
        put(variables, path);
        return path;
    }

    /** Adds the file if one is named. Otherwise the variable of either name is left as the user set it. */
    void addNamedFile(Map<String, String> variables) {
        Path named = file.getValue();
        if (named != null) {
            put(variables, named);
        }
    }

    private static void put(Map<String, String> variables, Path file) {
        variables.put(PREFIX + "_FILE", file.toAbsolutePath().normalize().toString());
    }
}

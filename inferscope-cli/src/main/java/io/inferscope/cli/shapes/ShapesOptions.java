package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Options;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Options for recording shapes. Without an option, the environment variable stays unchanged. */
final class ShapesOptions extends Options {
    private static final String PREFIX = "INFERSCOPE_SHAPES";
    private static final String ALIAS = "SGLANG_PROFILE_SHAPES";
    private static final String NUMBER = "\\d{1,9}";

    private final OptionSpec file =
            option("-o, --file=FILE", Path.class, "Write the operators to FILE, the summary beside it.");
    private final OptionSpec rank = option(
            "--rank=N", String.class, "Record the worker of rank N, or all, each into a file of its own (default: 0).");
    private final OptionSpec skip =
            option("--skip-warmup=N", String.class, "Leave out the first N forward passes (default: 0).");
    private final OptionSpec passes =
            option("--passes=N", String.class, "Record N forward passes after that; 0 for all (default: 0).");
    private final OptionSpec dedupe =
            flag("--dedupe", "Record repeated calls once, with their number; the default for diffusion models.");
    private final OptionSpec noDedupe = flag("--no-dedupe", "Record every call; the default for all other models.");
    private final OptionSpec fields =
            option("--fields=LIST", String.class, "What to record of a tensor beside shape and dtype: device, stride.");

    ShapesOptions(CommandSpec spec) {
        super(spec);
    }

    /**
     * Returns the variables that the recorder reads.
     *
     * @throws ParameterException if an option is invalid
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
        if (isSet(dedupe) && isSet(noDedupe)) {
            throw misuse("--dedupe and --no-dedupe exclude each other");
        }
        if (isSet(dedupe) || isSet(noDedupe)) {
            variables.put(PREFIX + "_DEDUPE", isSet(dedupe) ? "1" : "0");
        }
        return variables;
    }

    private void put(Map<String, String> variables, String ending, OptionSpec option, String pattern, String expected) {
        String text = option.getValue();
        if (text != null && !text.matches(pattern)) {
            throw misuse(option.longestName() + " " + text + ": " + expected);
        }
        if (text != null) {
            variables.put(PREFIX + ending, text);
        }
    }

    /** Adds the file: the given one, otherwise the environment's, otherwise {@code fallback}. Returns it. */
    Path addFile(Map<String, String> variables, Path fallback) {
        Path named = file.getValue();
        String said =
                System.getenv().getOrDefault(PREFIX + "_FILE", System.getenv().getOrDefault(ALIAS + "_FILE", ""));
        Path path = named != null ? named : said.isEmpty() ? fallback : Path.of(said);
        put(variables, path);
        return path;
    }

    /** Adds the file if one is given. Otherwise the user's variables for it stay unchanged. */
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

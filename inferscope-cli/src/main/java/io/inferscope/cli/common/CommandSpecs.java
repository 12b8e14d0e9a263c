package io.inferscope.cli.common;

import io.inferscope.collectors.run.JfrMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/**
 * Builds the descriptions of commands. Commands are described by calls instead of annotations: reading annotations
 * makes the JVM generate eight proxy classes, which takes a fifth of the start-up time.
 */
public final class CommandSpecs {
    static final long MAX_TRACE_MB = 1 << 20;
    private static final String THREE_WINDOWS = "3x0.5";
    private static final String NOTHING = "\"\"";
    private static final Pattern WINDOWS = Pattern.compile("[1-9][0-9]?x(?!0(?:\\.0*)?$)[0-9](?:\\.[0-9]{1,2})?");
    private static final Pattern LIKE_WINDOWS = Pattern.compile("[0-9][0-9.eE+-]*x.*");

    private CommandSpecs() {}

    /**
     * Returns the description of a command that {@code command} executes; its options are listed in the order they are
     * added.
     */
    public static CommandSpec command(Object command, String name, String description) {
        CommandSpec spec = CommandSpec.wrapWithoutInspection(command).name(name).versionProvider(new Version());
        spec.usageMessage().description(description).sortOptions(false);
        return spec;
    }

    /** Adds the options that a user expects of every command, after all others. Returns the description. */
    public static CommandSpec withHelp(CommandSpec spec) {
        spec.addOption(OptionSpec.builder("-h", "--help")
                .type(boolean.class)
                .usageHelp(true)
                .description("Show this help message and exit.")
                .build());
        return spec.addOption(OptionSpec.builder("-V", "--version")
                .type(boolean.class)
                .versionHelp(true)
                .description("Print version information and exit.")
                .build());
    }

    /** Adds examples below the options, and sentences, which are wrapped to the terminal's width. */
    public static void footer(CommandSpec spec, List<String> examples, String... sentences) {
        List<String> lines = new ArrayList<>();
        if (sentences.length > 0) {
            lines.add("");
            lines.add(String.join(" ", sentences));
        }
        if (!examples.isEmpty()) {
            lines.add("");
            lines.add("Examples:");
            examples.forEach(example -> lines.add("  " + example));
        }
        spec.usageMessage().footer(lines.toArray(String[]::new));
    }

    /** Returns an option that may be absent; {@code names} as the help shows them: {@code -o, --output=FILE}. */
    public static OptionSpec option(String names, Class<?> type, String description) {
        return builder(names, type, description).build();
    }

    public static OptionSpec option(String names, Class<?> type, String defaultValue, String description) {
        return builder(names, type, description).defaultValue(defaultValue).build();
    }

    /** Starts an option with several values of a type. */
    public static OptionSpec.Builder list(String names, Class<?> type, String description) {
        return builder(names, List.class, description).auxiliaryTypes(type);
    }

    /** Starts an option that may be absent; {@code names} as in {@link #option}. */
    public static OptionSpec.Builder builder(String names, Class<?> type, String description) {
        int label = names.indexOf('=');
        return OptionSpec.builder(names.substring(0, label).split(", "))
                .type(type)
                .paramLabel(names.substring(label + 1))
                .description(description);
    }

    /** Returns an option without a value. */
    public static OptionSpec flag(String name, String description) {
        return OptionSpec.builder(name)
                .type(boolean.class)
                .initialValue(false)
                .description(description)
                .build();
    }

    /** Returns a flag that is set by default; {@code --no-name} clears it. */
    public static OptionSpec flagThatIsSet(String name, String description) {
        return OptionSpec.builder(name)
                .type(boolean.class)
                .negatable(true)
                .defaultValue("true")
                .fallbackValue("true")
                .description(description)
                .build();
    }

    /** Returns the parameter after all options: a program and its arguments. */
    public static PositionalParamSpec program() {
        return several("COMMAND", String.class, "The program and its arguments.");
    }

    /** Returns a parameter that is given once or more. */
    public static PositionalParamSpec several(String label, Class<?> type, String description) {
        return PositionalParamSpec.builder()
                .type(List.class)
                .auxiliaryTypes(type)
                .arity("1..*")
                .required(true)
                .paramLabel(label)
                .description(description)
                .build();
    }

    /** Returns a parameter at its place. */
    public static PositionalParamSpec parameter(
            int index, String label, Class<?> type, String description, boolean required) {
        return PositionalParamSpec.builder()
                .type(type)
                .index(Integer.toString(index))
                .required(required)
                .paramLabel(label)
                .description(description)
                .build();
    }

    public static boolean isSet(OptionSpec flag) {
        return Boolean.TRUE.equals(flag.getValue());
    }

    /** Returns the option that names the trace a command writes. */
    public static OptionSpec mergedTrace() {
        return option("--trace=FILE", Path.class, "Write the merged trace to FILE (.json or .json.gz).");
    }

    /** Returns the size limit in bytes; refuses a limit that is too small for any record. */
    public static long traceSizeBytes(OptionSpec option, CommandSpec spec, Settings settings) {
        Long said = option.getValue();
        long mb = said == null ? Long.parseLong(settings.get(Setting.TRACE_SIZE_MB)) : said;
        if (mb < 1 || mb > MAX_TRACE_MB) {
            throw new ParameterException(
                    spec.commandLine(), "--trace-size-mb " + mb + ": expected 1 to " + MAX_TRACE_MB + " MB");
        }
        return mb << 20;
    }

    /** Returns the option that limits the size of each recorder's file. */
    public static OptionSpec traceSizeMb() {
        return option(
                "--trace-size-mb=N",
                Long.class,
                "Cap of each recorder's file in MB; records beyond it are counted, not kept (default: 100).");
    }

    /** Returns the option that records PyTorch's operators in short windows. */
    public static OptionSpec ops() {
        return OptionSpec.builder("--ops")
                .type(String.class)
                .arity("0..1")
                .initialValue("")
                .preprocessor((words, command, option, form) -> {
                    // A value after "=" cannot be a word of the command.
                    boolean attached = "=".equals(form.get("separator"));
                    boolean said = !words.isEmpty()
                            && (attached || LIKE_WINDOWS.matcher(words.peek()).matches());
                    String text = said ? words.pop() : THREE_WINDOWS;
                    option.setValue(text.isEmpty() ? NOTHING : text);
                    return true;
                })
                .paramLabel("NxSECONDS")
                .description(
                        "Record the operators of PyTorch in N short windows after warm-up (--ops alone: 3x0.5).",
                        "A window costs a program of small operators several times its length: 1x0.1 costs least.")
                .build();
    }

    /** Returns the value of {@link #ops}: number and seconds, as {@code 3x0.5}; empty if not given. */
    public static String opsWindows(OptionSpec ops) {
        String text = ops.getValue();
        if (!text.isEmpty() && !WINDOWS.matcher(text).matches()) {
            throw new ParameterException(
                    ops.command().commandLine(),
                    "--ops " + text + ": expected number x seconds, at most 99x9.99, such as --ops 3x0.5");
        }
        return text;
    }

    /** Returns the option for how JVMs record themselves; {@code starts}: whether InferScope starts them. */
    public static OptionSpec jfr(boolean starts) {
        String start = starts ? ", start (from its first moment; `java` then prints a line on standard error)" : "";
        return option(
                "--jfr=HOW",
                String.class,
                "attach",
                "How Java programs record themselves: attach (the default, once a JVM has started)" + start + ", off.");
    }

    /** Returns the value of {@link #jfr}; {@code starts} as there. */
    public static JfrMode jfrMode(OptionSpec jfr, boolean starts) {
        String text = jfr.getValue();
        for (JfrMode mode : JfrMode.values()) {
            boolean offered = mode != JfrMode.START || starts;
            if (offered && mode.name().toLowerCase(Locale.ROOT).equals(text)) {
                return mode;
            }
        }
        throw new ParameterException(jfr.command().commandLine(), "--jfr " + text + ": " + jfr.description()[0]);
    }
}

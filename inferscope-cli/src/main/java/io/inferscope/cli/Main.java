package io.inferscope.cli;

import io.inferscope.cli.analyze.AnalyzeCommand;
import io.inferscope.cli.analyze.BaselineCommand;
import io.inferscope.cli.analyze.ConvertCommand;
import io.inferscope.cli.analyze.DiffCommand;
import io.inferscope.cli.analyze.IsolateCommand;
import io.inferscope.cli.analyze.MinimizeCommand;
import io.inferscope.cli.analyze.OpenCommand;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.StandardOutput;
import io.inferscope.cli.fleet.FleetCommand;
import io.inferscope.cli.mcp.McpCommand;
import io.inferscope.cli.query.QueryCommand;
import io.inferscope.cli.run.AttachCommand;
import io.inferscope.cli.run.EngineMetricsCommand;
import io.inferscope.cli.run.RecoverCommand;
import io.inferscope.cli.run.RunCommand;
import io.inferscope.cli.run.ScalingCommand;
import io.inferscope.cli.run.TopCommand;
import io.inferscope.cli.setup.CompletionCommand;
import io.inferscope.cli.setup.ConfigCommand;
import io.inferscope.cli.setup.DemoCommand;
import io.inferscope.cli.setup.DoctorCommand;
import io.inferscope.cli.setup.HelpCommand;
import io.inferscope.cli.setup.SetupCommand;
import io.inferscope.cli.shapes.ShapesCommand;
import io.inferscope.cli.shapes.ShapesRunCommand;
import io.inferscope.cli.trace.TraceCommand;
import io.inferscope.collectors.run.CommandFailure;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** The {@code inferscope} program with the list of its commands, one class each. */
public final class Main implements Runnable {
    private static final String HELP = "help";
    private static final String COMPLETION = "completion";

    private static final String VERSION = "--version";
    private static final int MANY_THREADS = 64;

    /** The commands that describe the others. */
    private static final Set<String> ABOUT_ALL = Set.of(HELP, COMPLETION);

    private final CommandSpec spec = CommandSpecs.command(this, "inferscope", "Explains why the GPU is not running.");

    private final OptionSpec stacktrace = OptionSpec.builder("--stacktrace")
            .type(boolean.class)
            .initialValue(false)
            .scopeType(ScopeType.INHERIT)
            .description("Print the Java stack trace of an error.")
            .build();

    private Main() {
        spec.usageMessage().synopsisSubcommandLabel("COMMAND").sortOptions(true);
        CommandSpecs.footer(
                spec,
                List.of("inferscope demo", "inferscope run python3 infer.py --report", "inferscope help analyze"));
        CommandSpecs.withHelp(spec).addOption(stacktrace).addOption(Log.option());
    }

    /** Runs the program and ends the JVM with the command's exit code. */
    public static void main(String[] args) {
        StandardOutput out = new StandardOutput();
        CommandLine line = commandLine(args.length > 0 ? args[0] : "").setOut(out.writer());
        end(out.exitCode(run(line, args), line.getErr()));
    }

    /**
     * Ends the JVM. With 0 it ends by itself, unless a thread keeps it: before an exit, JDK 21 and later look for a logger
     * in every jar, which takes a twentieth of a short command's CPU time.
     */
    private static void end(int code) {
        Thread[] threads = new Thread[MANY_THREADS];
        int count = Thread.enumerate(threads);
        boolean kept = count == MANY_THREADS;
        for (int i = 0; i < count; i++) {
            kept |= !threads[i].isDaemon() && threads[i] != Thread.currentThread();
        }
        if (kept || code != 0) {
            System.exit(code);
        }
    }

    /**
     * Runs a command and returns its exit code. The parser's own handler sees exceptions only, not a lack of memory or
     * stack.
     */
    static int run(CommandLine line, String... args) {
        try {
            return line.execute(ShapesCommand.withDefault(args));
        } catch (OutOfMemoryError e) {
            Log.tell(line.getErr(), Failures.describe(e));
            return Failures.ENVIRONMENT;
        } catch (StackOverflowError e) {
            return Failures.internal(e, line, false);
        }
    }

    /** The parser of the whole program. */
    static CommandLine commandLine() {
        return commandLine("");
    }

    /**
     * Returns the parser for the command named by the first word, for no command, or for all. Describing all commands
     * takes a fifth of the start-up time. Arguments like {@code @file} belong to the observed command and are not
     * expanded.
     */
    static CommandLine commandLine(String first) {
        Main main = new Main();
        Settings settings = new Settings(System.getenv(), Path.of(""));
        CommandLine line = new CommandLine(main.spec);
        Map<String, Supplier<CommandSpec>> commands = commands(settings);
        if (commands.containsKey(first) && !ABOUT_ALL.contains(first)) {
            line.addSubcommand(first, commands.get(first).get());
        } else if (!first.equals(VERSION)) {
            commands.forEach((name, spec) -> line.addSubcommand(name, spec.get()));
        }
        return line.setUsageHelpWidth(helpColumns())
                .registerConverter(Path.class, Path::of) // The parser's own converter uses reflection.
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(Main::usage)
                .setExecutionExceptionHandler(
                        (e, command, parsed) -> Failures.report(e, command, CommandSpecs.isSet(main.stacktrace)));
    }

    /** The commands by name, in the order of the help text. */
    private static Map<String, Supplier<CommandSpec>> commands(Settings settings) {
        Map<String, Supplier<CommandSpec>> commands = new LinkedHashMap<>();
        commands.put("run", () -> new RunCommand(settings).spec());
        commands.put("attach", () -> new AttachCommand(settings).spec());
        commands.put("top", () -> new TopCommand(settings, Main::commandLine).spec());
        commands.put("scaling", () -> new ScalingCommand(Main::commandLine).spec());
        commands.put("analyze", () -> new AnalyzeCommand(settings).spec());
        commands.put("diff", () -> new DiffCommand(settings).spec());
        commands.put("baseline", () -> new BaselineCommand().spec());
        commands.put("shapes", () -> new ShapesCommand().spec());
        commands.put("convert", () -> new ConvertCommand(settings).spec());
        commands.put("isolate", () -> new IsolateCommand().spec());
        commands.put("minimize", () -> new MinimizeCommand(settings).spec());
        commands.put("query", () -> new QueryCommand(settings).spec());
        commands.put("fleet", () -> new FleetCommand(settings).spec());
        commands.put("recover", () -> new RecoverCommand(settings).spec());
        commands.put("engine-metrics", () -> new EngineMetricsCommand().spec());
        commands.put("doctor", () -> new DoctorCommand(settings).spec());
        commands.put("trace", () -> new TraceCommand(settings).spec());
        commands.put("config", () -> new ConfigCommand(settings).spec());
        commands.put("open", () -> new OpenCommand(settings).spec());
        commands.put("mcp", () -> new McpCommand(settings).spec());
        commands.put("setup", () -> new SetupCommand(System.getenv()).spec());
        commands.put("demo", () -> new DemoCommand(Main::commandLine).spec());
        commands.put(COMPLETION, () -> new CompletionCommand().spec());
        commands.put(HELP, () -> new HelpCommand().spec());
        return commands;
    }

    /** Returns the width of help texts: the terminal's, within readable limits. */
    private static int helpColumns() {
        return Math.min(120, Math.max(60, Integer.getInteger("inferscope.columns", 80)));
    }

    /**
     * Prints an error in the command line and returns the exit code: for {@code run} 125, because 2 may be the observed
     * program's own code.
     */
    private static int usage(ParameterException e, String[] args) {
        int code = Failures.usage(e, args);
        Object command = e.getCommandLine().getCommand();
        boolean runs = command instanceof RunCommand || command instanceof ShapesRunCommand;
        return runs ? CommandFailure.INFERSCOPE_FAILED : code;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }
}

package io.inferscope.cli.setup;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.timeline.text.ShellText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code inferscope demo}: explains a trace and a program that are part of InferScope, and prints the commands used.
 */
public final class DemoCommand extends Command {
    private static final String SAMPLE = "examples/demo/decode.json";
    private static final String PROGRAM = "examples/quickstart.py";

    private final OptionSpec folder = option(
            "--output-dir=DIR",
            Path.class,
            RunOutputs.FOLDER.resolve("demo").toString(),
            "Where the reports go (default: outputs/demo).");

    private final Supplier<CommandLine> program;

    /**
     * @param program makes the parser of the whole program
     */
    public DemoCommand(Supplier<CommandLine> program) {
        super("demo", "Explain a trace and a program that come with InferScope.");
        this.program = program;
        help(
                List.of("inferscope demo"),
                "The trace is synthetic: a language model decodes, and its GPU waits for the sampling of tokens on the CPU. The",
                "program is real, needs nothing but Python, and takes two seconds.");
    }

    @Override
    public Integer call() {
        Path home = InstallFolder.find();
        Path out = folder.getValue();
        for (String needed : List.of(SAMPLE, PROGRAM)) {
            if (!Files.isRegularFile(home.resolve(needed))) {
                Log.tell(err(), home.resolve(needed) + " is missing; install InferScope again");
                return Failures.ENVIRONMENT;
            }
        }
        Path explained = out.resolve("trace.html");
        int code = type("analyze", home.resolve(SAMPLE).toString(), "-o", explained.toString());
        if (code != 0) {
            return code;
        }
        Path observed = out.resolve("program.html");
        code = type(
                "run",
                "--trace",
                out.resolve("program.json.gz").toString(),
                "-o",
                observed.toString(),
                "--",
                "python3",
                home.resolve(PROGRAM).toString(),
                "--rounds",
                "60");
        say("");
        say("Look at " + explained + " and " + observed
                + ", then try: inferscope run python3 YOUR_PROGRAM.py --report");
        return code;
    }

    /** Prints and runs a command. */
    private int type(String... words) {
        say("$ inferscope " + ShellText.command(List.of(words)));
        CommandLine parser = program.get();
        parser.setOut(out()).setErr(err());
        int code = parser.execute(words);
        say("");
        return code;
    }

    private void say(String line) {
        Log.line(out(), line);
    }
}

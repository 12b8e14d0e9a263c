package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.OutputFiles;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.collectors.run.Capture;
import io.inferscope.collectors.run.CommandFailure;
import io.inferscope.collectors.run.ShapeRecording;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.shapes.ShapeRenderer;
import io.inferscope.shapes.ShapeAnalysis;
import io.inferscope.shapes.ShapeCollection;
import io.inferscope.shapes.ShapeFilter;
import io.inferscope.shapes.ShapeReport;
import io.inferscope.shapes.ShapeSections;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.text.ShellText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code inferscope shapes standalone}: runs text generation with one model in one process, records its shapes, and
 * lists the operators it called.
 */
final class ShapesStandaloneCommand extends Command {
    private static final int TOP = 10;
    private static final String PREFIX = "INFERSCOPE_SHAPES";

    private final OptionSpec model = requiredOption(
            "--model-path, --model=MODEL", String.class, "A model that transformers or SGLang can load.");

    private final OptionSpec ranks = option(
            "--tp-size, --tensor-parallel-size, --tp=N",
            Long.class,
            "1",
            "1: several ranks are processes of their own, which `shapes run` records.");

    private final OptionSpec output = option(
            "-o, --output=FILE",
            Path.class,
            "Write the operators to FILE (default: MODEL_tp1_shapes.jsonl), the summary beside it.");

    private final OptionSpec prompts = number("--num-prompts", 3, "Prompts to generate from (default: 3).");

    private final OptionSpec tokens = number("--max-tokens", 50, "Tokens to generate for each (default: 50).");

    private final OptionSpec noAnalyze = flag("--no-analyze", "Print only the ten most common operators.");

    private final OptionSpec python = option(
            "--python=PROGRAM",
            String.class,
            "python3",
            "The Python that has the model's libraries (default: python3).");

    /** Unknown options are passed on to SGLang's ServerArgs. */
    ShapesStandaloneCommand() {
        super(
                "standalone",
                "Generate with one model in one process, and report which operators it called with which shapes.");
        spec.parser().unmatchedArgumentsAllowed(true);
        spec.usageMessage()
                .customSynopsis(
                        "inferscope shapes standalone --model-path MODEL [OPTIONS] [OPTIONS OF SGLANG'S SERVER]")
                .footer("", "The model is run by SGLang's Engine where SGLang is installed, else by transformers.");
    }

    @Override
    public Integer call() throws ImportException, IOException {
        String path = model.getValue();
        long size = checked(ranks, 1, 1 << 20);
        if (size > 1) {
            throw misuse("--tp-size " + size
                    + ": operators of several ranks run in worker processes; record those: inferscope shapes"
                    + " run --rank 0 -- python3 -m sglang.launch_server --model-path " + ShellText.quoted(path)
                    + " --tp-size "
                    + size);
        }
        Path named = output.getValue();
        Path file = named != null ? named : defaultFile(path);
        try {
            OutputFiles.check(List.of(), List.of(file));
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
        PrintWriter err = err();
        FileTime start = ShapeFile.now();
        int exitCode = generate(command(path), file, err);
        if (exitCode != 0) {
            return exitCode;
        }
        say(file, start, err);
        return 0;
    }

    /** Returns {@code qwen2.5_7b_instruct_tp1_shapes.jsonl} for {@code Qwen/Qwen2.5-7B-Instruct}. */
    static Path defaultFile(String model) {
        String name = model.replaceFirst("(?<!/)/+$", "").replaceFirst("^.*/", "");
        return Path.of(name.replace('-', '_').toLowerCase(Locale.ROOT) + "_tp1_shapes.jsonl");
    }

    private List<String> command(String path) {
        List<String> command = new ArrayList<>(List.of(
                python.getValue(),
                "-m",
                "inferscope.standalone",
                "--num-prompts",
                Long.toString(checked(prompts, 1, 1_000_000)),
                "--max-tokens",
                Long.toString(checked(tokens, 1, 1_000_000)),
                "--model-path",
                path));
        command.addAll(spec.commandLine().getParseResult().unmatched());
        return command;
    }

    private static int generate(List<String> command, Path file, PrintWriter err) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put(PREFIX, "1");
        variables.put(PREFIX + "_RANK", "0");
        variables.put(PREFIX + "_FILE", file.toAbsolutePath().normalize().toString());
        ShapeRecording recording = new ShapeRecording(InstallFolder.find(), variables);
        try {
            return Capture.prepare(
                            InstallFolder.find(), signal -> Runtime.getRuntime().halt(128 + signal))
                    .runForShapes(command, recording);
        } catch (CommandFailure e) {
            Log.tell(err, e);
            return e.exitCode();
        }
    }

    private void say(Path file, FileTime start, PrintWriter err) throws ImportException, IOException {
        if (ShapeLogs.summaries(file, start).isEmpty()) {
            Log.tell(
                    err,
                    "warning: 0 operators were recorded; with several ranks they run in worker processes, which `inferscope shapes run` records");
            return;
        }
        boolean all = !isSet(noAnalyze);
        ShapeCollection collection = new ShapeCollection(ShapeFilter.ALL, !all, Long.MAX_VALUE);
        ShapeLogInputs.read(List.of(file), collection, null, false);
        ShapeReport report =
                ShapeAnalysis.of(collection, TraceInputs.title(file), new ShapeSections(true, all, all, TOP, TOP));
        PrintWriter out = out();
        ShapeRenderer.render(report, false, "console", ConsoleOptions.FILE, out);
        out.flush();
        Log.line(
                err,
                "Shapes: " + file + "; look closer: inferscope shapes analyze " + ShellText.file(file.toString())
                        + " --show-shapes");
    }
}

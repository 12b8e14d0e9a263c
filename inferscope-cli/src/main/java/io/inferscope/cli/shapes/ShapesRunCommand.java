package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.collectors.run.Capture;
import io.inferscope.collectors.run.CommandFailure;
import io.inferscope.collectors.run.ShapeRecording;
import io.inferscope.timeline.files.FileProblem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * {@code inferscope shapes run}: runs a program and records the shapes of its tensors. Only the program writes to
 * standard output.
 */
public final class ShapesRunCommand extends Command {
    private final PositionalParamSpec words = add(CommandSpecs.program());
    private final ShapesOptions options = new ShapesOptions(spec);

    public ShapesRunCommand() {
        super("run", "Run a program and record the shapes of its tensors, operator by operator.");
        spec.parser().stopAtPositional(true); // All words from the command on belong to the command.
        spec.usageMessage()
                .customSynopsis("inferscope shapes [run] [OPTIONS] -- COMMAND [ARGUMENT...]")
                .footer("", "Returns the command's own exit code. A file not named is outputs/shapes_PROGRAM.jsonl.");
    }

    @Override
    public Integer call() {
        PrintWriter err = err();
        List<String> command = RunOutputs.withInterpreter(words.getValue());
        Map<String, String> variables = options.variables();
        Path unnamed = RunOutputs.unused(RunOutputs.FOLDER, "shapes_" + RunOutputs.program(command), ".jsonl");
        Path file = options.addFile(variables, unnamed);
        ShapeRecording recording = new ShapeRecording(InstallFolder.find(), variables);
        if (!recording.isInstalled()) {
            Log.tell(err, "the recorder is not installed in " + recording.searchPath());
            return CommandFailure.INFERSCOPE_FAILED;
        }
        ShapeFile shapes = new ShapeFile(file, recording, ShapeFile.now());
        int exitCode;
        try {
            RunOutputs.check(file);
            Capture capture = Capture.prepare(
                    InstallFolder.find(), signal -> Runtime.getRuntime().halt(128 + signal));
            exitCode = capture.runForShapes(command, recording);
        } catch (CommandFailure e) {
            Log.tell(err, e);
            return e.exitCode();
        } catch (IOException e) {
            Log.tell(err, "cannot write " + FileProblem.describe(e));
            return CommandFailure.INFERSCOPE_FAILED;
        }
        shapes.settle(err);
        return exitCode;
    }
}

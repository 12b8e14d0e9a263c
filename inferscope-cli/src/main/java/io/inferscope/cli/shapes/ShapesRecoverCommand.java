package io.inferscope.cli.shapes;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.collectors.run.ShapeRecording;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope shapes recover}: completes the files of killed processes. */
final class ShapesRecoverCommand extends Command {
    private final PositionalParamSpec folders =
            add(CommandSpecs.several("LOG", Path.class, "The folder of a log, such as shapes.jsonl.log."));

    ShapesRecoverCommand() {
        super("recover", "Finish the files of a process that was killed while it recorded: no operator is lost.");
    }

    @Override
    public Integer call() throws ImportException {
        List<Path> logs = folders.getValue();
        ShapeRecording recording = new ShapeRecording(InstallFolder.find(), Map.of());
        return ShapeLogs.recover(recording, logs, err()) ? 0 : Failures.INPUT;
    }
}

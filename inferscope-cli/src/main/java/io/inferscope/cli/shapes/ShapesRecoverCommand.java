package io.inferscope.cli.shapes;

import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.collectors.run.ShapeRecording;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope shapes recover}: completes the files of killed processes. */
final class ShapesRecoverCommand implements Callable<Integer> {
    private final PositionalParamSpec folders = PositionalParamSpec.builder()
            .type(List.class)
            .auxiliaryTypes(Path.class)
            .arity("1..*")
            .required(true)
            .paramLabel("LOG")
            .description("The folder of a log, such as shapes.jsonl.log.")
            .build();
    private final CommandSpec spec = CommandSpecs.command(
            this, "recover", "Finish the files of a process that was killed while it recorded: no operator is lost.");

    /** Returns the description that the parser works from. */
    CommandSpec spec() {
        spec.addPositional(folders);
        return CommandSpecs.withHelp(spec);
    }

    @Override
    public Integer call() throws ImportException {
        List<Path> logs = folders.getValue();
        ShapeRecording recording = new ShapeRecording(InstallFolder.find(), Map.of());
        return ShapeLogs.recover(recording, logs, spec.commandLine().getErr()) ? 0 : Failures.INPUT;
    }
}

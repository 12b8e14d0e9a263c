package io.inferscope.cli.analyze;

import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.OutputFiles;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** {@code inferscope isolate}: writes a program that runs one operator of a trace alone. */
public final class IsolateCommand implements Callable<Integer> {
    private final TraceInputs inputs = new TraceInputs();

    private final OptionSpec operator = OptionSpec.builder("--operator")
            .type(String.class)
            .required(true)
            .paramLabel("NAME")
            .description("The operator, as reports name it: aten::addmm.")
            .build();

    private final OptionSpec output = OptionSpec.builder("-o", "--output")
            .type(Path.class)
            .required(true)
            .paramLabel("OUT.py")
            .description("Write the program to OUT.py.")
            .build();

    private final CommandSpec spec = CommandSpecs.command(
            this,
            "isolate",
            "Write a Python program that runs one operator of a PyTorch trace alone, with the inputs that took the most time, and measure it.");

    /** Returns the description that the parser works from. */
    public CommandSpec spec() {
        inputs.addFilesTo(spec);
        spec.addOption(operator);
        spec.addOption(output);
        inputs.addOptionsTo(spec);
        CommandSpecs.addHelp(spec);
        CommandSpecs.footer(spec, List.of("inferscope isolate trace.json.gz --operator aten::addmm -o addmm.py"));
        return spec;
    }

    @Override
    public Integer call() throws ImportException, IOException {
        Path script = output.getValue();
        String name = operator.getValue();
        try {
            if (inputs.files().size() != 1) {
                throw new IllegalArgumentException("name one trace: the operator is read from its file");
            }
            OutputFiles.check(inputs.files(), List.of(script));
            Timeline timeline = inputs.load(spec);
            TraceSource source = new TraceSource(inputs.files().get(0));
            Files.writeString(script, OperatorScript.of(timeline, source, name));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
        spec.commandLine().getErr().println("Written: " + script + "; run it with the Python that has PyTorch");
        return 0;
    }
}

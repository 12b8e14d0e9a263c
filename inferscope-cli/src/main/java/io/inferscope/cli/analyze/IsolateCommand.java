package io.inferscope.cli.analyze;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.OutputFiles;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.files.WholeFile;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Model.OptionSpec;

/** {@code inferscope isolate}: writes a program that runs one operator of a trace alone. */
public final class IsolateCommand extends Command {
    private final OptionSpec operator =
            requiredOption("--operator=NAME", String.class, "The operator, as reports name it: aten::addmm.");

    private final OptionSpec output = requiredOption("-o, --output=OUT.py", Path.class, "Write the program to OUT.py.");

    private final TraceInputs inputs = new TraceInputs(spec);

    public IsolateCommand() {
        super(
                "isolate",
                "Write a Python program that runs one operator of a PyTorch trace alone, with the inputs that took the most time, and measure it.");
        help(List.of("inferscope isolate trace.json.gz --operator aten::addmm -o addmm.py"));
    }

    @Override
    public Integer call() throws ImportException, IOException {
        Path script = output.getValue();
        String name = operator.getValue();
        try {
            if (inputs.files().size() != 1) {
                throw new IllegalArgumentException("name one trace: the operator is read from its file");
            }
            OperatorScript.checkComputes(name);
            OutputFiles.check(inputs.files(), List.of(script));
            // Of several ranks, or of captures and their replay, the recording in which the operator takes most time.
            List<OperatorScript.Found> found = new ArrayList<>();
            AtomicBoolean hasInputs = new AtomicBoolean();
            inputs.each((timeline, file) -> {
                hasInputs.compareAndSet(false, timeline.has(Attribute.INPUT_DIMS));
                OperatorScript.find(timeline, new TraceSource(file), name).ifPresent(found::add);
            });
            OperatorScript.Found longest = found.stream()
                    .max(Order.comparingLong(OperatorScript.Found::ns))
                    .orElseThrow(() -> new IllegalArgumentException("no operator " + name
                            + " with inputs is recorded; "
                            + (hasInputs.get()
                                    ? "`inferscope analyze` lists those that are"
                                    : "record with `torch.profiler.profile(record_shapes=True)`")));
            byte[] text = longest.text().getBytes(StandardCharsets.UTF_8);
            WholeFile.write(script, out -> out.write(text));
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
        Log.line(err(), "Written: " + script + "; run it with the Python that has PyTorch");
        return 0;
    }
}

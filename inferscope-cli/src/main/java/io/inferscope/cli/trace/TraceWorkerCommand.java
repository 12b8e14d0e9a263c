package io.inferscope.cli.trace;

import io.inferscope.batch.BatchOptions;
import io.inferscope.batch.Installation;
import io.inferscope.batch.ModelList;
import io.inferscope.batch.ModelRef;
import io.inferscope.batch.Pair;
import io.inferscope.batch.TraceException;
import io.inferscope.batch.TraceOptions;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/** {@code inferscope trace worker}: runs one tracer on one local model, without reusing results. */
final class TraceWorkerCommand extends Command {
    private static final BatchOptions ONE = new BatchOptions(1, 1, true, 0, true);

    private final OptionSpec modelPath = requiredOption("--model-path=DIR", Path.class, "The model's folder.");

    private final OptionSpec tracer = requiredOption(
            "--tracer=NAME", String.class, "The tracer; all: every tracer of the framework, one after the other.");

    private final RulesOption rules;
    private final TraceSelection selection = new TraceSelection(spec);
    private final TraceSettings how;

    TraceWorkerCommand(Settings settings) {
        super("worker", "Run one tracer on one local model.");
        rules = new RulesOption(spec, settings);
        how = new TraceSettings(spec, TraceOption.ofWorker());
    }

    @Override
    public Integer call() throws ImportException, IOException, InterruptedException {
        String framework = how.framework();
        Path path = modelPath.getValue();
        if (!Files.isDirectory(path)) {
            throw misuse("--model-path " + path + ": there is no such folder");
        }
        try {
            TraceOptions options = how.options(ONE.jobs());
            Installation installation = how.installation();
            List<ModelRef> model = ModelList.of(List.of(path.toAbsolutePath().toString()), List.of());
            List<Pair> pairs = TraceSelection.pairs(
                    model, how.mode(), selection.tracers(installation, framework, tracer.getValue()));
            return new BatchRunner(rules.analyzer(), rules.log()).run(options, ONE, installation, pairs);
        } catch (TraceException e) {
            return TraceCommand.complain(spec, e);
        }
    }
}

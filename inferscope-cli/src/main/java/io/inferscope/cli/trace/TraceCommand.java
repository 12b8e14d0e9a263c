package io.inferscope.cli.trace;

import io.inferscope.batch.BatchOptions;
import io.inferscope.batch.Installation;
import io.inferscope.batch.ModelRef;
import io.inferscope.batch.Pair;
import io.inferscope.batch.TraceException;
import io.inferscope.batch.TraceOptions;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code inferscope trace}: runs tracers on models, each in a separate process, and reuses existing results. */
public final class TraceCommand extends Command {
    private final TraceSelection selection = new TraceSelection(spec).add();
    private final TraceSettings how = new TraceSettings(spec, TraceOption.ofBatch());
    private final OptionSpec force = flag("--force", "Trace again what could be reused.");
    private final OptionSpec listTracers = flag("--list-tracers", "List the tracers and exit.");
    private final OptionSpec describeTracer =
            option("--describe-tracer=NAME", String.class, "Print what a tracer does and writes, and exit.");
    private final RulesOption rules;

    public TraceCommand(Settings settings) {
        super("trace", "Run tracers on models, each in a process of its own, many models at a time.");
        rules = new RulesOption(spec, settings);
        help(
                List.of(
                        "inferscope trace --framework huggingface --model ./model --device cpu",
                        "inferscope trace --describe-tracer torch_profiler"),
                "Returns 0 when every pair of model and tracer has its result, 1 when one has not, 128+n when signal n stopped",
                "it: the same command continues from there. trace worker runs one tracer on one local model.");
        spec.addSubcommand("worker", new TraceWorkerCommand(settings).spec());
    }

    @Override
    public Integer call() throws ImportException, IOException, InterruptedException {
        try {
            if (isSet(listTracers) || describeTracer.getValue() != null) {
                return describe(how.installation());
            }
            return trace();
        } catch (TraceException e) {
            return complain(spec, e);
        }
    }

    static int complain(CommandSpec spec, TraceException e) {
        Log.tell(spec.commandLine().getErr(), e);
        return Failures.ENVIRONMENT;
    }

    private int describe(Installation installation) {
        PrintWriter out = out();
        String name = describeTracer.getValue();
        if (name == null) {
            TracerTexts.list(installation.tracers().values(), out);
        } else {
            TracerTexts.describe(selection.tracer(installation, name), out);
        }
        out.flush();
        return 0;
    }

    private int trace() throws ImportException, IOException, InterruptedException, TraceException {
        String framework = how.framework();
        List<ModelRef> models = selection.models();
        BatchOptions batch = how.batch(isSet(force));
        TraceOptions options = how.options(batch.jobs());
        Installation installation = how.installation();
        List<Pair> pairs = TraceSelection.pairs(
                models, how.mode(), selection.tracers(installation, framework, how.text(TraceOption.TRACERS)));
        return new BatchRunner(rules.analyzer(), rules.log()).run(options, batch, installation, pairs);
    }
}

package io.inferscope.cli;

import io.inferscope.collectors.os.SignalHandlers;
import io.inferscope.collectors.trace.Batch;
import io.inferscope.collectors.trace.BatchOptions;
import io.inferscope.collectors.trace.BatchSummary;
import io.inferscope.collectors.trace.Installation;
import io.inferscope.collectors.trace.ModelList;
import io.inferscope.collectors.trace.ModelRef;
import io.inferscope.collectors.trace.Pair;
import io.inferscope.collectors.trace.PairResult;
import io.inferscope.collectors.trace.TraceException;
import io.inferscope.collectors.trace.TraceOptions;
import io.inferscope.collectors.trace.TracerInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** {@code inferscope trace}: runs tracers on models, each in a process of its own, and reuses what is there already. */
final class TraceCommand implements Callable<Integer> {
    private static final int SOME_FAILED = 1;
    private static final int SIGNALLED = 128;

    private final OptionSpec models =
            list("--model", "MODEL", "A folder, or a name on the hub. May be repeated.", String.class);
    private final OptionSpec modelLists = list("--model-list", "FILE", "A file with one model a line.", Path.class);
    private final OptionSpec skipLists =
            list("--skip-model-list", "FILE", "A file with models to leave out.", Path.class);
    private final OptionSpec tracers =
            value("--tracers", "A,B", "Which tracers to run (default: all of the framework).");
    private final OptionSpec jobs = value("--jobs", "N", "How many tracers run at once (default: 1).");
    private final OptionSpec downloads =
            value("--downloads", "N", "How many models are downloaded at once (default: 4).");
    private final OptionSpec downloadTimeout =
            value("--download-timeout", "TIME", "How long a download may take (default: 1h).");
    private final OptionSpec retries =
            value("--retries", "N", "How often a pair that failed is tried again at once (default: 0).");
    private final OptionSpec continueOnFailure =
            value("--continue-on-failure", "BOOL", "Whether the batch goes on after a failure (default: true).");
    private final OptionSpec force = Specs.flag("--force", "Trace again what could be reused.");
    private final OptionSpec listTracers = Specs.flag("--list-tracers", "List the tracers and exit.");
    private final OptionSpec describeTracer =
            value("--describe-tracer", "NAME", "Say what a tracer does and writes, and exit.");

    private final Settings settings;
    private final CommandSpec spec =
            Specs.command(this, "trace", "Run tracers on models, each in a process of its own, many models at a time.");
    private final TraceSettings how = new TraceSettings(spec);

    TraceCommand(Settings settings) {
        this.settings = settings;
    }

    /** Returns the description that the parser works from. */
    CommandSpec spec() {
        spec.addOption(models).addOption(modelLists).addOption(skipLists).addOption(tracers);
        how.addTo(spec);
        spec.addOption(force)
                .addOption(jobs)
                .addOption(retries)
                .addOption(downloads)
                .addOption(downloadTimeout);
        spec.addOption(continueOnFailure).addOption(listTracers).addOption(describeTracer);
        Specs.addHelp(spec);
        spec.usageMessage()
                .footer(
                        "",
                        "Returns 0 when every pair of model and tracer has its result, 1 when one has not, 128+n when signal n stopped",
                        "it: the same command goes on where it was. trace worker runs one tracer on one local model.");
        return spec.addSubcommand("worker", new TraceWorkerCommand(settings).spec());
    }

    private static OptionSpec value(String name, String label, String description) {
        return OptionSpec.builder(name)
                .type(String.class)
                .paramLabel(label)
                .description(description)
                .build();
    }

    private static OptionSpec list(String name, String label, String description, Class<?> type) {
        return OptionSpec.builder(name)
                .type(List.class)
                .auxiliaryTypes(type)
                .initialValue(new ArrayList<>())
                .paramLabel(label)
                .description(description)
                .build();
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        try {
            if (Specs.isSet(listTracers) || describeTracer.getValue() != null) {
                return describe(how.installation());
            }
            return trace();
        } catch (TraceException e) {
            return complain(spec, e);
        }
    }

    static int complain(CommandSpec spec, TraceException e) {
        spec.commandLine().getErr().println("inferscope: " + e.getMessage());
        spec.commandLine().getErr().flush();
        return Failures.ENVIRONMENT;
    }

    private int describe(Installation installation) {
        PrintWriter out = spec.commandLine().getOut();
        String name = describeTracer.getValue();
        if (name == null) {
            TracerTexts.list(installation.tracers().values(), out);
        } else {
            TracerTexts.describe(tracer(installation, name), out);
        }
        out.flush();
        return 0;
    }

    private TracerInfo tracer(Installation installation, String name) {
        TracerInfo found = installation.tracers().get(name);
        if (found == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "no tracer " + name + "; there are "
                            + String.join(", ", installation.tracers().keySet()));
        }
        return found;
    }

    private int trace() throws IOException, InterruptedException, TraceException {
        String framework = how.framework();
        List<ModelRef> chosen = models();
        int number = how.number(jobs, 1, 1);
        BatchOptions batch = new BatchOptions(
                number,
                how.number(downloads, 4, 1),
                Specs.isSet(force),
                how.number(retries, 0, 0),
                Setting.isOn(how.value(continueOnFailure).orElse("true")));
        TraceOptions options = how.options(number, how.timeNs(downloadTimeout, "1h"));
        Installation installation = how.installation();
        List<Pair> pairs = new ArrayList<>();
        for (ModelRef model : chosen) {
            for (TracerInfo tracer : tracers(installation, framework)) {
                pairs.add(new Pair(model, how.mode(), tracer));
            }
        }
        return run(options, batch, installation, pairs, Log.of(spec.commandLine(), settings));
    }

    static int run(TraceOptions options, BatchOptions how, Installation installation, List<Pair> pairs, Log log)
            throws IOException, InterruptedException {
        BatchSummary.checkWritable(options.output());
        AtomicInteger signal = new AtomicInteger();
        List<PairResult> results;
        try (TraceProgress progress = TraceProgress.of(log, pairs.size());
                Batch batch = new Batch(options, how, installation, new TraceReports(), progress)) {
            for (String name : List.of("INT", "TERM", "HUP")) {
                SignalHandlers.handle(name, number -> stop(batch, signal, number, log));
            }
            results = batch.run(pairs);
        }
        Path summary = BatchSummary.write(options.output(), results);
        log.info(TracerTexts.conclusion(results) + "; see " + summary);
        if (signal.get() != 0) {
            return SIGNALLED + signal.get();
        }
        return results.stream().allMatch(PairResult::isFine) ? 0 : SOME_FAILED;
    }

    /** The first signal lets the batch end in order, the second one does not wait for that: workers end with this process. */
    private static void stop(Batch batch, AtomicInteger signal, int number, Log log) {
        if (!signal.compareAndSet(0, number)) {
            Runtime.getRuntime().halt(SIGNALLED + number);
        }
        log.warn("stopping; the same command goes on where this one was");
        batch.stop();
    }

    private List<ModelRef> models() throws IOException {
        List<String> names = new ArrayList<>(models.<List<String>>getValue());
        names.addAll(read(modelLists));
        if (names.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "no model: name one with --model, or a file with --model-list");
        }
        List<ModelRef> chosen = ModelList.of(names, read(skipLists));
        if (chosen.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "every model is on the skip list");
        }
        return chosen;
    }

    private List<String> read(OptionSpec lists) throws IOException {
        List<String> names = new ArrayList<>();
        for (Path file : lists.<List<Path>>getValue()) {
            try {
                names.addAll(ModelList.read(file));
            } catch (IOException e) {
                throw new ParameterException(
                        spec.commandLine(), lists.longestName() + " " + file + " cannot be read: " + e.getMessage());
            }
        }
        return names;
    }

    private List<TracerInfo> tracers(Installation installation, String framework) {
        String text = how.value(tracers).orElse("all");
        if (text.equals("all")) {
            return installation.tracers().values().stream()
                    .filter(tracer -> tracer.frameworks().contains(framework))
                    .toList();
        }
        List<TracerInfo> chosen = new ArrayList<>();
        for (String name : text.split(",", -1)) {
            TracerInfo tracer = tracer(installation, name.strip());
            if (!tracer.frameworks().contains(framework)) {
                throw new ParameterException(
                        spec.commandLine(),
                        "tracer " + name + " is for " + String.join(", ", tracer.frameworks()) + ", not for "
                                + framework);
            }
            if (!chosen.contains(tracer)) {
                chosen.add(tracer);
            }
        }
        return chosen;
    }
}

package io.inferscope.cli.fleet;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.ReadProgress;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.SummaryOption;
import io.inferscope.cli.common.Version;
import io.inferscope.fleet.FleetBuild;
import io.inferscope.fleet.FleetBuild.Counts;
import io.inferscope.fleet.FleetInputs;
import io.inferscope.fleet.FleetInputs.Recording;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import me.tongfei.progressbar.ProgressBar;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code fleet build} and {@code fleet watch}: recordings become rows, once or as long as a job writes them. */
final class FleetBuildCommand extends Command {
    private static final int MOST_JOBS = 1024;

    private final boolean watches;
    private final PositionalParamSpec input;
    private final OptionSpec output = requiredOption(
            "-o, --output=DIR", Path.class, "The folder of the rows; what it holds already is not analysed again.");
    private final OptionSpec jobs =
            option("--jobs=N", Long.class, "Recordings that are analysed at the same time (default: one per CPU).");
    private final OptionSpec labels = add(CommandSpecs.list(
                    "--label=KEY=VALUE",
                    String.class,
                    "What the recordings are of, such as service=chat; @1 takes the name of the first folder below"
                            + " FOLDER. May be repeated.")
            .build());
    private final OptionSpec again = flag("--again", "Analyse again what is done.");
    private final OptionSpec retry = flag("--retry-failed", "Try again what failed.");
    private final OptionSpec every = CommandSpecs.option(
            "--every=TIME", String.class, "10s", "Look for new recordings after TIME (default: 10s).");
    private final OptionSpec until =
            CommandSpecs.option("--for=TIME", String.class, "End after TIME (default: never).");
    private final RulesOption rules;

    FleetBuildCommand(Settings settings, boolean watches) {
        super(
                watches ? "watch" : "build",
                watches
                        ? "Add recordings as a job writes them, each when it has not changed for a while."
                        : "Analyse every recording of a folder or a list once, and keep the figures as Parquet tables.");
        this.watches = watches;
        input = parameter(
                0,
                watches ? "FOLDER" : "FOLDER|LIST",
                Path.class,
                watches
                        ? "Searched for recordings, with the folders in it."
                        : "Searched for recordings, with the folders in it; or a text file with a path per line, and labels"
                                + " after a tab.");
        if (watches) {
            add(every);
            add(until);
        }
        rules = new RulesOption(spec, settings);
        help(List.of(
                watches
                        ? "inferscope fleet watch torch_profiler_dir -o fleet/ --label service=train"
                        : "inferscope fleet build traces/ -o fleet/ --label service=@1"));
    }

    @Override
    public Integer call() throws ImportException, IOException {
        int parallel = jobs.getValue() == null
                ? Runtime.getRuntime().availableProcessors()
                : (int) checked(jobs, 1, MOST_JOBS);
        Path from = input.getValue();
        Path folder = output.getValue();
        if (!Files.exists(from) || (watches && !Files.isDirectory(from))) {
            throw misuse(from + (watches ? ": no such folder" : ": no such folder or list"));
        }
        SummaryOption.checkFolder(spec, folder);
        FleetInputs inputs = new FleetInputs(SummaryOption.labels(spec, labels));
        long everyNs = watches ? ns(every) : 0;
        long untilNs = !watches || until.getValue() == null ? Long.MAX_VALUE : ns(until);
        FleetBuild.Options options = new FleetBuild.Options(Version.text(), parallel, isSet(again), isSet(retry));
        try (FleetBuild build = new FleetBuild(folder, options, rules.analyzer())) {
            long startNs = System.nanoTime();
            do {
                Counts counts = build(build, find(inputs, from, folder));
                if (!watches || counts.analysed() > 0) {
                    tell(counts, System.nanoTime() - startNs);
                }
            } while (watches && pause(everyNs, untilNs - (System.nanoTime() - startNs)));
        }
        return 0;
    }

    /** A file that changed less than a pause ago may be incomplete: it is left for the next round. */
    private List<Recording> find(FleetInputs inputs, Path from, Path folder) throws IOException {
        try {
            List<Recording> found = inputs.find(from, folder);
            return watches
                    ? found.stream()
                            .filter(recording -> isSettled(recording.file()))
                            .toList()
                    : found;
        } catch (IllegalArgumentException e) {
            throw misuse(from + ": label " + e.getMessage());
        }
    }

    private boolean isSettled(Path file) {
        try {
            long ageMs =
                    System.currentTimeMillis() - Files.getLastModifiedTime(file).toMillis();
            return ageMs >= TimeUnit.NANOSECONDS.toMillis(ns(every));
        } catch (IOException gone) {
            return false;
        }
    }

    private static Counts build(FleetBuild build, List<Recording> recordings) throws IOException {
        Counts counts = new Counts();
        if (!Boolean.getBoolean("inferscope.stderr.tty")) {
            build.run(recordings, counts, () -> {});
            return counts;
        }
        try (ProgressBar bar =
                ReadProgress.Bar.builder("Analysing", recordings.size(), 200).build()) {
            build.run(recordings, counts, () -> bar.stepTo(counts.done()));
        }
        return counts;
    }

    private void tell(Counts counts, long tookNs) {
        out().println(String.format(
                Locale.ROOT,
                "%d recordings analysed in %.1f s, %d of them failed; %d were known",
                counts.analysed(),
                tookNs / 1e9,
                counts.failed(),
                counts.known()));
        out().flush();
    }

    /** Waits; returns false when the time is over, or somebody interrupts. */
    private static boolean pause(long ns, long leftNs) {
        try {
            TimeUnit.NANOSECONDS.sleep(Math.min(ns, Math.max(0, leftNs)));
            return leftNs > ns;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

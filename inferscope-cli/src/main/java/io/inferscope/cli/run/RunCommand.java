package io.inferscope.cli.run;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.common.LimitOption;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.LogLevel;
import io.inferscope.cli.common.PartOption;
import io.inferscope.cli.common.Pipeline;
import io.inferscope.cli.common.PostRecordingCost;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.cli.common.Setting;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.SpoolFolder;
import io.inferscope.cli.common.Stage;
import io.inferscope.cli.common.SummaryOption;
import io.inferscope.cli.shapes.ShapeFile;
import io.inferscope.cli.shapes.ShapeLogInputs;
import io.inferscope.collectors.doctor.ClusterEnvironment;
import io.inferscope.collectors.host.HostOptions;
import io.inferscope.collectors.run.Capture;
import io.inferscope.collectors.run.CaptureOptions;
import io.inferscope.collectors.run.CaptureResult;
import io.inferscope.collectors.run.CommandFailure;
import io.inferscope.collectors.run.GpuRecording;
import io.inferscope.collectors.run.JfrMode;
import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/**
 * {@code inferscope run}: runs a program, records it, and explains where its time went. Only the program writes to
 * standard output; InferScope's messages go to standard error.
 */
public final class RunCommand extends Command {
    private final PositionalParamSpec words = add(CommandSpecs.program());
    private final ReportOptions reports = ReportOptions.withFigures(spec);
    private final PartOption part = new PartOption(spec);
    private final LimitOption limits = new LimitOption(spec);
    private final SummaryOption summary = new SummaryOption(spec);
    private final OptionSpec traceFile = add(CommandSpecs.mergedTrace());
    private final OptionSpec traceSizeMb = add(CommandSpecs.traceSizeMb());
    private final SamplingOptions sampling = new SamplingOptions(spec);
    private final OptionSpec noProbe = flag("--no-probe", "Do not enter Python interpreters.");
    private final GpuOptions gpu = new GpuOptions(spec);
    private final OptionSpec ops = add(CommandSpecs.ops());
    private final OptionSpec shapes = flag(
            "--shapes",
            "Record the shapes of PyTorch's tensors as well: outputs/shapes_PROGRAM.jsonl (docs/shapes.md).");
    private final OptionSpec jfr = add(CommandSpecs.jfr(true));
    private final OptionSpec watch =
            flag("--watch", "Show the last seconds below the program's output while it runs; needs a terminal.");
    private final OptionSpec keepSpool = flag("--keep-spool", "Keep the recorders' own files.");

    private final OptionSpec reportWithin = option(
            "--report-within=TIME",
            String.class,
            "Give up the report after TIME (2m, 30s): run then ends with the command's exit code, and"
                    + " what was recorded is kept. Default: as long as the command ran, at least 2m.");

    private final Settings settings;
    private final RulesOption rules;

    public RunCommand(Settings settings) {
        super("run", "Run a program, record it, and explain where its time went.");
        this.settings = settings;
        rules = new RulesOption(spec, settings);
        spec.parser().stopAtPositional(true); // All words from the command on belong to the command.
        spec.usageMessage()
                .customSynopsis(
                        "inferscope run [OPTIONS] [--] COMMAND [ARGUMENT...]",
                        "inferscope run [OPTIONS] SCRIPT.py [ARGUMENT...]");
        help(
                List.of(
                        "inferscope run python3 infer.py --report",
                        "inferscope run --report report.html -- vllm serve MODEL",
                        "inferscope run --fail-on 'idle>20%%' python3 bench.py"),
                "Returns the command's own exit code, 128+n when signal n ended it, 127 when it was not found, 126 when it",
                "cannot be executed, 125 when InferScope failed before it started, 1 when it returned 0 but a limit of --fail-on is",
                "crossed. Without -- before the command, --report [FILE]",
                "and -o FILE at its very end are InferScope's. Files not named go to outputs/trace_* and outputs/report_*.");
    }

    @Override
    public Integer call() throws IOException {
        CommandLine line = spec.commandLine();
        PrintWriter err = line.getErr();
        Log log = Log.of(line, settings);
        List<String> command = command(line, log);
        if (!Setting.isOn(settings.get(Setting.ENABLED))) {
            return runUnobserved(command, log);
        }
        ClusterEnvironment cluster = ClusterEnvironment.of(RunCommand::variable, command);
        if (cluster.isCluster()) {
            return fail(
                    CommandFailure.INFERSCOPE_FAILED, cluster.describe() + "; " + ClusterEnvironment.REMEDY, err, null);
        }
        String program = RunOutputs.program(command);
        Path named = traceFile.getValue();
        checkReports(named);
        limits.check();
        summary.check(List.of());
        HostOptions host = sampling.host();
        JfrMode mode = CommandSpecs.jfrMode(jfr, true);
        ns(reportWithin);
        String windows = CommandSpecs.opsWindows(ops);
        // CUPTI has one receiver of records: windows of torch.profiler would take them from the agent.
        GpuRecording devices = gpu.recording(!windows.isEmpty(), sampling.gpuRatio());
        if (host.windowNs() > 0 && devices.windowNs() > 0) {
            throw new ParameterException(
                    line,
                    "--sample-window with --gpu-window or --gpu-detail auto: expected one of them, so that it is known which slows the program");
        }
        long sizeBytes = CommandSpecs.traceSizeBytes(traceSizeMb, spec, settings);
        ShapeFile shapeFile;
        Analyzer analyzer;
        CaptureResult result;
        RunOutputs.Reserved files;
        SpoolFolder[] spools = new SpoolFolder[1];
        AtomicReference<@Nullable LiveView> shown = new AtomicReference<>();
        try {
            shapeFile = ShapeFile.of(isSet(shapes), program);
            analyzer = rules.analyzer();
            if (!windows.isEmpty()) {
                log.info(
                        "windows of PyTorch's profiler (--ops) cost a program of small operators several times their length; where that"
                                + " is 15 % of the run, no verdict is given: --ops 1x0.1 costs least");
            }
            Capture capture = Capture.prepare(InstallFolder.find(), signal -> {
                LiveView.end(shown.get(), err); // Halting the JVM runs no other clean-up.
                abort(signal, err, spools[0]);
            });
            files = RunOutputs.reserve(named, program);
            spools[0] = files.spools();
            LiveView view = watch(spools[0].path(), program, analyzer, log);
            shown.set(view);
            try {
                result = capture.run(
                        command, options(spools[0].path(), devices, sizeBytes, host, mode, windows, shapeFile));
            } finally {
                LiveView.end(view, err);
            }
        } catch (ImportException e) {
            return fail(CommandFailure.INFERSCOPE_FAILED, String.valueOf(e.getMessage()), err, spools[0]);
        } catch (CommandFailure e) {
            return fail(e.exitCode(), String.valueOf(e.getMessage()), err, spools[0]);
        } catch (IOException e) {
            String problem = "cannot write " + FileProblem.describe(e) + "; name another place with --trace";
            return fail(CommandFailure.INFERSCOPE_FAILED, problem, err, spools[0]);
        } catch (OutOfMemoryError e) { // Of threads, before the start: no recorder that fails later ends the run.
            return fail(CommandFailure.INFERSCOPE_FAILED, Failures.describe(e), err, spools[0]);
        }
        List<Path> shapeLogs = shapeFile.settle(err);
        try (ReportDeadline deadline = deadline(result, files.spools().path(), err)) {
            int crossed = explain(files, program, analyzer, shapeLogs, deadline, log);
            return result.exitCode() == 0 ? crossed : result.exitCode();
        } catch (OutOfMemoryError e) { // The thread of the deadline did not start.
            tellNoReport(Failures.describe(e), files.spools().path(), err);
            return result.exitCode() == 0 ? withoutReport(err) : result.exitCode();
        }
    }

    /**
     * Checks the reports' names. The usual reason of an unknown format is a word of the command that was taken as the
     * report's name.
     */
    private void checkReports(@Nullable Path trace) {
        try {
            reports.check(List.of(), trace);
        } catch (ParameterException e) {
            boolean taken = reports.files().stream()
                    .anyMatch(file ->
                            !file.toString().contains(".") || file.toString().endsWith(".py"));
            throw taken
                    ? misuse(e.getMessage()
                            + "; --report without a file goes last: inferscope run COMMAND [ARGUMENT...] --report")
                    : e;
        }
    }

    /** Returns a live view of the run; null if not requested or without a terminal. */
    private @Nullable LiveView watch(Path spools, String program, Analyzer analyzer, Log log) throws IOException {
        if (!isSet(watch)) {
            return null;
        }
        if (!LiveScreen.draws("inferscope.stderr.tty")) {
            log.info(
                    "--watch: standard error is not a terminal that can draw, so nothing is shown while the program runs");
            return null;
        }
        return LiveView.start(spools, program, analyzer, LiveScreen.below());
    }

    /** Runs the command as if InferScope were not there. */
    private int runUnobserved(List<String> command, Log log) {
        log.info("recording is off (" + settings.value(Setting.ENABLED).origin() + ")");
        try {
            return Capture.prepare(InstallFolder.find(), signal -> abort(signal, log.err(), null))
                    .runUnobserved(command);
        } catch (CommandFailure e) {
            return fail(e.exitCode(), String.valueOf(e.getMessage()), log.err(), null);
        }
    }

    private CaptureOptions options(
            Path spools,
            GpuRecording devices,
            long sizeBytes,
            HostOptions host,
            JfrMode mode,
            String windows,
            ShapeFile shapeFile) {
        boolean probe = !isSet(noProbe);
        return new CaptureOptions(
                spools, InstallFolder.find(), probe, devices, sizeBytes, host, mode, windows, shapeFile.recording());
    }

    private List<String> command(CommandLine line, Log log) {
        List<String> all = line.getParseResult().originalArgs();
        List<String> command = words.getValue();
        int start = all.size() - command.size();
        if (start == 0 || !all.get(start - 1).equals("--")) {
            TrailingOptions split = TrailingOptions.split(command);
            command = split.command();
            if (!split.taken().isEmpty()) {
                split.reports().forEach(file -> reports.files().add(Path.of(file)));
                log.info("taking \"" + String.join(" ", split.taken())
                        + "\" for itself; put -- before the command to pass it on");
            }
        }
        return RunOutputs.withInterpreter(command);
    }

    private static String variable(String name) {
        return Optional.ofNullable(System.getenv(name)).orElse("");
    }

    private static int fail(int exitCode, String problem, PrintWriter err, @Nullable SpoolFolder spools) {
        Log.tell(err, problem);
        if (spools != null) {
            spools.delete();
        }
        return exitCode;
    }

    /** Explains the run after the command's end; all failures are reported. Returns the exit code of the limits. */
    private int explain(
            RunOutputs.Reserved files,
            String program,
            Analyzer analyzer,
            List<Path> shapeLogs,
            ReportDeadline deadline,
            Log log) {
        PrintWriter err = log.err();
        PostRecordingCost cost = new PostRecordingCost();
        Path spools = files.spools().path();
        try {
            Stage stage = new Stage(log);
            files.spools().check();
            AnalyzedReport explained = Pipeline.finish(spools, files.trace(), program, part, analyzer, stage);
            Report report = withShapes(explained.report(), shapeLogs, err);
            if (reports.goNowhere()) {
                reports.files().add(RunOutputs.report(settings, program, files.report()));
            }
            int broken = reports.writeFiles(explained.with(report));
            summary.write(List.of(files.trace()), explained);
            stage.done("writing the reports");
            deadline.close();
            if (log.level().says(LogLevel.INFO)) {
                Log.line(err, "");
                ReportOptions.writeConclusion(report, err);
            }
            RunOutputs.say(log, reports, files.trace(), cost);
            RunOutputs.settle(log, files.spools(), isSet(keepSpool));
            int crossed = limits.exitCode(report);
            return broken == 0 ? crossed : broken;
        } catch (ImportException | IOException | RuntimeException | OutOfMemoryError | StackOverflowError e) {
            boolean defect = e instanceof RuntimeException || e instanceof StackOverflowError;
            String problem = e instanceof OutOfMemoryError heap
                    ? Failures.describe(heap)
                    : defect ? "internal error: " + Report.Failure.describe(e) : e.getMessage();
            tellNoReport(String.valueOf(problem), spools, err);
            if (spec.commandLine().getParseResult().hasMatchedOption("--stacktrace")) {
                Log.trace(err, e);
            }
            return limits.isSet() ? withoutReport(err) : defect ? Failures.INTERNAL : 0;
        } finally {
            err.flush();
        }
    }

    private static void tellNoReport(String problem, Path spools, PrintWriter err) {
        Log.tell(err, "no report: " + problem + "; " + RunOutputs.kept(spools));
    }

    /** Returns the exit code of a program that ended with 0. */
    private int withoutReport(PrintWriter err) {
        if (limits.isSet()) {
            Log.tell(err, "limits cannot be checked without a report");
            return LimitOption.CROSSED;
        }
        return 0;
    }

    private ReportDeadline deadline(CaptureResult result, Path spools, PrintWriter err) {
        Duration time = reportWithin.getValue() == null
                ? ReportDeadline.afterRunOf(result.wallNs())
                : Duration.ofNanos(ns(reportWithin));
        return ReportDeadline.start(time, spools, err, () -> {
            int code = result.exitCode() == 0 ? withoutReport(err) : result.exitCode();
            err.flush();
            System.exit(code);
        });
    }

    /** Adds the shapes of logs. If a log cannot be read, only its table is missing. */
    private static Report withShapes(Report report, List<Path> logs, PrintWriter err) {
        try {
            return ShapeLogInputs.beside(report, logs);
        } catch (ImportException e) {
            Log.tell(err, "the report is without shapes: " + e.getMessage());
            return report;
        }
    }

    private static void abort(int signal, PrintWriter err, @Nullable SpoolFolder spools) {
        Log.tell(err, "stopped" + (spools == null ? "" : "; " + RunOutputs.kept(spools.path())));
        Runtime.getRuntime().halt(128 + signal);
    }
}

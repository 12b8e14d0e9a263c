package io.inferscope.cli.run;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.common.LimitOption;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.Pipeline;
import io.inferscope.cli.common.PostRecordingCost;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.SpoolFolder;
import io.inferscope.cli.common.Stage;
import io.inferscope.collectors.host.HostOptions;
import io.inferscope.collectors.os.SignalHandlers;
import io.inferscope.collectors.run.AttachFailure;
import io.inferscope.collectors.run.Attachment;
import io.inferscope.collectors.run.CaptureOptions;
import io.inferscope.collectors.run.GpuRecording;
import io.inferscope.collectors.run.JfrMode;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * {@code inferscope attach}: observes a running process and its descendants for a while, and explains where their time
 * goes.
 */
public final class AttachCommand extends Command {
    private final PositionalParamSpec pid =
            parameter(0, "PID", Integer.class, "The process to observe, with all its descendants.");

    private final OptionSpec duration = option(
            "-d, --duration=TIME",
            String.class,
            "30s",
            "How long: 30s (the default), 500ms, 2m, 1h; 0 until Ctrl-C or the program's end.");

    private final ReportOptions reports = ReportOptions.withTimeline(spec);
    private final OptionSpec traceFile = add(CommandSpecs.mergedTrace());
    private final OptionSpec traceSizeMb = add(CommandSpecs.traceSizeMb());

    private final OptionSpec gpu = flag(
            "--gpu",
            "Load the CUDA agent into the process, and record its GPU work, too. Prints first what it does to the process.");

    private final OptionSpec jfr = add(CommandSpecs.jfr(false));
    private final OptionSpec watch = flag("--watch", "Show the last seconds while recording.");
    private final OptionSpec keepSpool = flag("--keep-spool", "Keep the recorders' own files.");
    private final SamplingOptions sampling = new SamplingOptions(spec);
    private final Settings settings;
    private final RulesOption rules;
    private final LimitOption limits;

    public AttachCommand(Settings settings) {
        super("attach", "Observe a running process from outside, and explain where its time goes.");
        this.settings = settings;
        rules = new RulesOption(spec, settings);
        limits = new LimitOption(spec);
        help(
                List.of(
                        "inferscope attach 4711 --duration 10s -o report.html",
                        "inferscope attach 4711 --gpu --duration 10s"),
                "The process is read from outside and not stopped, with two exceptions: a JVM is asked to record itself for as",
                "long, unless --jfr off says no, and --gpu loads a library into the process. Ctrl-C ends the recording early and still reports. Spans are not seen from",
                "outside, nor are copies and kernels without --gpu: `inferscope run` records them. Returns 3 when there is no such process, 4 when it",
                "may not be observed, 1 when a limit is crossed. Files not named go to outputs/trace_* and outputs/report_*.");
    }

    @Override
    public Integer call() throws ImportException, IOException {
        long durationNs = ns(duration);
        limits.check();
        Analyzer analyzer = rules.analyzer();
        HostOptions host = sampling.host();
        JfrMode mode = CommandSpecs.jfrMode(jfr, false);
        long sizeBytes = CommandSpecs.traceSizeBytes(traceSizeMb, spec, settings);
        PrintWriter err = err();
        try {
            Attachment attachment = Attachment.to(pid.getValue());
            String plan = isSet(gpu) ? attachment.withGpu(InstallFolder.find()) : "";
            String program = RunOutputs.program(attachment.command());
            Path named = traceFile.getValue();
            reports.check(List.of(), named);
            RunOutputs.Reserved files = RunOutputs.reserve(named, program);
            AtomicReference<@Nullable LiveView> shown = new AtomicReference<>();
            stopOnSignal(attachment, files.spools().path(), shown, err);
            String until = durationNs == 0 ? "until it ends" : "for " + duration.getValue();
            rules.log()
                    .info("recording process " + pid.getValue() + " (" + program + ") " + until
                            + "; Ctrl-C ends it early");
            if (!plan.isEmpty()) {
                Log.tell(err, plan);
            }
            CaptureOptions options = new CaptureOptions(
                    files.spools().path(),
                    InstallFolder.find(),
                    false,
                    GpuRecording.NONE,
                    sizeBytes,
                    host,
                    mode,
                    "",
                    null);
            LiveView view = isSet(watch)
                    ? LiveView.start(
                            options.spoolDirectory(),
                            program + " (" + pid.getValue() + ")",
                            analyzer,
                            LiveScreen.full(reports.aside(), attachment::stop))
                    : null;
            shown.set(view);
            try {
                record(attachment, durationNs, files.spools(), options);
            } finally {
                LiveView.end(view, err);
            }
            return explain(files, program, analyzer);
        } catch (AttachFailure e) {
            Log.tell(err, e);
            return e.exitCode();
        }
    }

    private static void record(Attachment attachment, long durationNs, SpoolFolder spools, CaptureOptions options)
            throws AttachFailure {
        try {
            attachment.record(durationNs, options);
        } catch (AttachFailure e) {
            spools.delete();
            throw e;
        }
    }

    private int explain(RunOutputs.Reserved files, String program, Analyzer analyzer)
            throws ImportException, IOException {
        PrintWriter err = err();
        PostRecordingCost cost = new PostRecordingCost();
        Path spools = files.spools().path();
        AnalyzedReport explained;
        int broken;
        try {
            Stage stage = new Stage(rules.log());
            files.spools().check();
            explained = Pipeline.finish(spools, files.trace(), program, analyzer, stage);
            if (reports.goNowhere()) {
                reports.files().add(RunOutputs.report(settings, program, files.report()));
            }
            broken = reports.write(explained);
            stage.done("writing the reports");
        } catch (ImportException | IOException | RuntimeException | OutOfMemoryError e) {
            Log.tell(err, RunOutputs.kept(spools));
            throw e;
        }
        RunOutputs.say(rules.log(), reports, files.trace(), cost);
        RunOutputs.settle(rules.log(), files.spools(), isSet(keepSpool));
        int crossed = limits.exitCode(explained.report());
        err.flush();
        return broken == 0 ? crossed : broken;
    }

    /** The first signal ends the recording, a second one the work on the report. */
    private static void stopOnSignal(
            Attachment attachment, Path spools, AtomicReference<@Nullable LiveView> shown, PrintWriter err) {
        AtomicBoolean stopped = new AtomicBoolean();
        for (String name : List.of("INT", "TERM", "HUP")) {
            SignalHandlers.handle(name, signal -> {
                if (stopped.compareAndSet(false, true)) {
                    attachment.stop();
                } else {
                    LiveView.end(shown.get(), err); // Halting runs nothing else.
                    Log.tell(err, "stopped; " + RunOutputs.kept(spools));
                    Runtime.getRuntime().halt(128 + signal);
                }
            });
        }
    }
}

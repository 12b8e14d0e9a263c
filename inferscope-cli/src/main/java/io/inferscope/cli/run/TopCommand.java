package io.inferscope.cli.run;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Units;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.collectors.os.SignalHandlers;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.cut.TimelineCut;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * {@code inferscope top}: shows the time of a running process by cause, continuously, or that of a recording piece by
 * piece.
 */
public final class TopCommand extends Command {
    private static final long FRAME_MS = 1_000;

    private final PositionalParamSpec subject = parameter(
            0,
            "PID|RECORDING",
            String.class,
            "A running process, observed with all its descendants; or a recording, shown from start to end.");

    private final OptionSpec pieces = option(
            "--pieces=N", int.class, "20", "In how many pieces a recording is shown, one a second (default: 20).");

    private final ReportOptions reports = ReportOptions.withTimeline(spec);
    private final Supplier<CommandLine> program;
    private final RulesOption rules;

    /**
     * @param program makes the parser of the whole program
     */
    public TopCommand(Settings settings, Supplier<CommandLine> program) {
        super("top", "Watch where the time of a running process goes, and end with its report; or replay a recording.");
        this.program = program;
        rules = new RulesOption(spec, settings);
        help(
                List.of("inferscope top 4711", "inferscope top outputs/trace_infer.json.gz --pieces 40"),
                "q or Ctrl-C ends the view; then comes the report. `attach PID --duration 0 --watch` is the same, and takes the other",
                "options of `attach` as well. Where standard output is no terminal, each view is plain text below the one before;",
                "with --format json and others, on standard error.");
    }

    @Override
    public Integer call() throws ImportException, IOException {
        String text = subject.getValue();
        Path file = Path.of(text);
        if (Files.exists(file)) {
            return replay(file);
        }
        if (!text.matches("[0-9]{1,9}")) {
            throw misuse(text + ": neither a process id nor a recording");
        }
        List<String> words = new ArrayList<>(spec.commandLine().getParseResult().originalArgs());
        words.remove(spec.name());
        words.addAll(0, List.of("attach", "--duration", "0", "--watch"));
        CommandLine parser = program.get();
        parser.setOut(out()).setErr(err());
        return parser.execute(words.toArray(String[]::new));
    }

    private int replay(Path file) throws ImportException, IOException {
        String title = TraceInputs.title(file);
        reports.check(List.of(file), null);
        Timeline timeline = TraceInputs.load(List.of(new Input(file, null)), title, false, err());
        Analyzer analyzer = rules.analyzer();
        Analysis whole = analyzer.analysis(timeline);
        int count = pieces.getValue();
        if (count < 1 || count > 10_000) {
            throw misuse("--pieces " + count + ": expected 1 to 10000");
        }
        long startNs = whole.window().startNs();
        long lengthNs = Math.max(count, whole.window().durationNs());
        boolean terminal = LiveScreen.draws("inferscope.stdout.tty");
        CountDownLatch stop = new CountDownLatch(1);
        if (terminal) { // A signal ends the view and restores the terminal.
            List.of("INT", "TERM", "HUP").forEach(name -> SignalHandlers.handle(name, signal -> stop.countDown()));
        }
        try (LiveScreen screen = LiveScreen.full(reports.aside(), stop::countDown)) {
            for (int i = 0; i < count; i++) {
                long fromNs = startNs + lengthNs / count * i;
                long toNs = i == count - 1 ? startNs + lengthNs : fromNs + lengthNs / count;
                String words = "inferscope: " + title + " from " + Units.duration(fromNs - startNs) + " to "
                        + Units.duration(toNs - startNs) + " of " + Units.duration(lengthNs)
                        + screen.hint();
                screen.show(LiveView.lines(TimelineCut.of(timeline, fromNs, toNs), analyzer, words, screen));
                boolean stopped = terminal && stop.await(FRAME_MS, TimeUnit.MILLISECONDS);
                if (stopped) {
                    break;
                }
            }
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
        return reports.write(new AnalyzedReport(whole, analyzer.report(whole, title)));
    }
}

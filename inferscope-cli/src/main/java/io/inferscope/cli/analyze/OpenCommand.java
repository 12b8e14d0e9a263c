package io.inferscope.cli.analyze;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.cli.common.Settings;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import io.inferscope.timeline.text.ShellText;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * {@code inferscope open}: shows a report, or a recording of any size as its report's page, in the browser; or a trace
 * in Perfetto's page at the longest gap. Pages read from this machine: the data is served only on the loopback
 * interface, under a name that cannot be guessed.
 */
public final class OpenCommand extends Command {
    private static final String PERFETTO = "https://ui.perfetto.dev";
    /** The only local port from which Perfetto's page may read, by its content security policy. */
    private static final int PERFETTO_PORT = 9001;

    private static final long PATIENCE_MINUTES = 5;

    private final PositionalParamSpec file = parameter(
            0,
            "REPORT|RECORDING",
            Path.class,
            "A report (.html, .md, .txt), or a recording of any format that analyze reads.");

    private final OptionSpec perfetto =
            flag("--perfetto", "Show a trace in JSON (.json, .json.gz) in Perfetto, at its longest gap.");

    private final OptionSpec noBrowser = flag("--no-browser", "Print the address instead of opening a browser.");

    private final OptionSpec port = option(
            "--port=N",
            Integer.class,
            "The port to serve on. Perfetto's page reads from " + PERFETTO_PORT
                    + " only, the default for Perfetto. 0, the default for a page, takes any free port.");

    private final RulesOption rules;

    public OpenCommand(Settings settings) {
        super("open", "Show a report or a recording in the browser, or a trace in Perfetto.");
        rules = new RulesOption(spec, settings);
        help(
                List.of(
                        "inferscope open report.html",
                        "inferscope open outputs/trace_infer.json.gz",
                        "inferscope open --perfetto trace.json.gz"),
                "A recording is served on the loopback interface, and goes nowhere else: its page loads the events that it",
                "shows, until Ctrl-C. For Perfetto a trace is served once, and the command ends when the page has it.");
    }

    @Override
    public Integer call() throws ImportException, IOException {
        Path path = file.getValue();
        Integer asked = port.getValue();
        if (asked != null && (asked < 0 || asked > 65_535)) {
            throw misuse("--port " + asked + ": expected 0 to 65535");
        }
        if (path.toString().matches(".*\\.(html?|md|markdown|txt)")) {
            if (!Files.isReadable(path)) {
                throw misuse(path + ": no such file");
            }
            browser().show(path.toUri().toString(), false);
            return 0;
        }
        if (!isSet(perfetto)) {
            return servePage(path);
        }
        if (!path.toString().matches(".*\\.json(\\.gz)?")) {
            throw misuse(path + ": Perfetto reads JSON; first: inferscope convert " + ShellText.file(path.toString())
                    + " -o trace.json.gz");
        }
        String part =
                longestGap(TraceInputs.load(List.of(new Input(path, null)), TraceInputs.title(path), false, err()));
        return serve(path, part);
    }

    /** Serves the page of a recording until the user ends it. */
    private int servePage(Path path) throws ImportException, IOException {
        Analyzer analyzer = rules.analyzer();
        String title = TraceInputs.title(path);
        Timeline timeline = TraceInputs.load(List.of(new Input(path, null)), title, false, err());
        Integer number = port.getValue();
        try {
            browser().serve(analyzer.explain(timeline, title), title, number == null ? 0 : number);
        } catch (BindException taken) {
            return refused(taken, number, "choose another --port");
        }
        return 0;
    }

    private Browser browser() {
        return new Browser(out(), err(), !isSet(noBrowser));
    }

    /** Prints why a port cannot be used: it is in use, or not permitted. */
    private int refused(BindException problem, @Nullable Integer number, String remedy) {
        boolean taken = String.valueOf(problem.getMessage()).contains("in use");
        Log.tell(
                err(),
                "port " + number + " of this machine "
                        + (taken
                                ? "is taken: " + remedy
                                : "cannot be served at (" + problem.getMessage() + "): choose another --port"));
        return Failures.ENVIRONMENT;
    }

    /** Returns the part of the trace to show, as a parameter of Perfetto's address; empty without a device. */
    private String longestGap(Timeline timeline) throws ImportException {
        Analysis analysis = rules.analyzer().analysis(timeline);
        Optional<IdleBlame.Gap> longest = analysis.headline()
                .flatMap(device ->
                        analysis.blameOf(device).largestGaps().stream().findFirst());
        if (longest.isEmpty()) {
            return "";
        }
        long start = longest.get().startNs();
        long around = longest.get().durationNs();
        return "&visStart=" + (start - around) + "&visEnd=" + (start + 2 * around);
    }

    private int serve(Path path, String part) throws IOException {
        String name = path.toString().endsWith(".gz") ? "trace.json.gz" : "trace.json";
        Integer asked = port.getValue();
        int number = asked == null ? PERFETTO_PORT : asked;
        CountDownLatch fetched = new CountDownLatch(1);
        LoopbackServer.Page trace = LoopbackServer.Page.of(
                "Access-Control-Allow-Origin: " + PERFETTO + "\r\nContent-Type: application/octet-stream\r\n",
                Files.size(path),
                out -> {
                    Files.copy(path, out);
                    out.flush();
                    fetched.countDown();
                });
        try (LoopbackServer server = new LoopbackServer(
                number,
                asking -> asking.equals(name) && fetched.getCount() > 0 ? trace : LoopbackServer.Page.NOT_FOUND)) {
            browser().show(PERFETTO + "/#!/?url=" + server.address() + name + part, true);
            if (!fetched.await(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
                Log.tell(err(), "nobody fetched the trace within " + PATIENCE_MINUTES + " minutes");
                return Failures.ENVIRONMENT;
            }
        } catch (BindException taken) {
            return refused(taken, number, "end the other `inferscope open` or trace_processor");
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }
}

package io.inferscope.cli.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.Log;
import io.inferscope.cli.common.OutputFiles;
import io.inferscope.collectors.os.SignalHandlers;
import io.inferscope.timeline.files.KnowledgeTable;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope engine-metrics}: reads the counters of a running inference server and writes them as a trace. */
public final class EngineMetricsCommand extends Command {
    private static final List<String> WANTED =
            KnowledgeTable.read(EngineMetricsCommand.class, "engine-metrics.tsv", cells -> cells[0]);

    /** Parts of a histogram, and when a counter began. */
    private static final List<String> LEFT_OUT = List.of("_bucket", "_sum", "_count", "_created");

    private static final int PATIENCE_MS = 5_000;
    private static final int MOST_BYTES = 1 << 24;
    private static final long LEAST_PERIOD_NS = 10_000_000;

    private final PositionalParamSpec address =
            parameter(0, "URL", String.class, "The server's metrics, such as http://localhost:8000/metrics.");

    private final OptionSpec output =
            option("-o, --output=OUT", Path.class, "metrics.json", "Write the trace to OUT (default: metrics.json).");

    private final OptionSpec duration =
            option("--duration=TIME", String.class, "Read for so long, such as 30s or 2m (default: until Ctrl-C).");

    private final OptionSpec period =
            option("--period=TIME", String.class, "1s", "Time from one reading to the next (default: 1s).");

    /** A value that the server gave, with the counter's name and labels. */
    private record Reading(long timeNs, String name, double value) {}

    private final List<Reading> readings = new ArrayList<>();

    public EngineMetricsCommand() {
        super("engine-metrics", "Read the counters of a running vLLM or SGLang server, and write them as a trace.");
        help(
                List.of(
                        "inferscope engine-metrics http://localhost:8000/metrics -o metrics.json",
                        "inferscope analyze profile.json metrics.json"),
                "`analyze` puts the counters beside a profile of the same time. Start SGLang with --enable-metrics.",
                "Ctrl-C ends the reading and writes the trace. Returns 4 when nothing could be read.");
    }

    @Override
    public Integer call() throws IOException {
        URLConnection first = open();
        long everyNs = Math.max(LEAST_PERIOD_NS, ns(period));
        long lastsNs = duration.getValue() == null ? Long.MAX_VALUE : ns(duration);
        Path file = output.getValue();
        OutputFiles.check(List.of(), List.of(file));
        CountDownLatch stopped = new CountDownLatch(1);
        for (String signal : List.of("INT", "TERM", "HUP")) {
            SignalHandlers.handle(signal, number -> stopped.countDown());
        }
        long beganNs = System.nanoTime();
        String problem = read(first);
        for (long leftNs = lastsNs; leftNs > 0 && !isStopped(stopped, Math.min(everyNs, leftNs)); ) {
            String failed = read(open());
            problem = problem.isEmpty() ? failed : problem;
            leftNs = lastsNs - (System.nanoTime() - beganNs);
        }
        if (!problem.isEmpty()) {
            Log.tell(err(), address.getValue() + ": " + problem);
        }
        if (readings.isEmpty()) {
            Log.tell(err(), "no counter was read that rules use: nothing is written");
            return Failures.ENVIRONMENT;
        }
        WholeFile.write(file, this::write);
        Log.line(err(), "Written: " + file + " (" + readings.size() + " readings)");
        return 0;
    }

    private static boolean isStopped(CountDownLatch stopped, long afterNs) {
        try {
            return stopped.await(afterNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private URLConnection open() throws IOException {
        String text = address.getValue();
        try {
            URI uri = URI.create(text);
            if (uri.getHost() != null && List.of("http", "https").contains(uri.getScheme())) {
                return uri.toURL().openConnection();
            }
        } catch (IllegalArgumentException notAnAddress) {
            // Said below.
        }
        throw misuse(text + ": expected an address such as http://localhost:8000/metrics");
    }

    /** Reads once, and returns what went wrong, empty for nothing. */
    private String read(URLConnection connection) {
        connection.setConnectTimeout(PATIENCE_MS);
        connection.setReadTimeout(PATIENCE_MS);
        try (InputStream in = connection.getInputStream()) {
            String text = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
            long nowNs = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
            text.lines().forEach(line -> add(nowNs, line));
            return "";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Adds a line of Prometheus' text format if it is wanted: name, perhaps labels in braces, and a value. */
    private void add(long nowNs, String line) {
        int space = line.lastIndexOf(' ');
        String key = line.substring(0, Math.max(0, space));
        int labels = key.indexOf('{');
        String name = labels < 0 ? key : key.substring(0, labels);
        if (WANTED.stream().anyMatch(name::startsWith) && LEFT_OUT.stream().noneMatch(name::endsWith)) {
            double value = number(line.substring(space + 1));
            if (Double.isFinite(value)) {
                readings.add(new Reading(nowNs, key, value));
            }
        }
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException noNumber) {
            return Double.NaN;
        }
    }

    /** Writes counters of Chrome's trace format, in microseconds since the first reading. */
    private void write(OutputStream out) throws IOException {
        long baseNs = readings.get(0).timeNs;
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.writeStartObject();
            json.writeNumberField("schemaVersion", 1);
            json.writeNumberField("baseTimeNanoseconds", baseNs);
            json.writeArrayFieldStart("traceEvents");
            for (Reading reading : readings) {
                json.writeStartObject();
                json.writeStringField("ph", "C");
                json.writeStringField("name", reading.name);
                json.writeNumberField("pid", 1);
                json.writeNumberField("ts", BigDecimal.valueOf(reading.timeNs - baseNs, 3));
                json.writeObjectFieldStart("args");
                json.writeNumberField("value", reading.value);
                json.writeEndObject();
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }
}

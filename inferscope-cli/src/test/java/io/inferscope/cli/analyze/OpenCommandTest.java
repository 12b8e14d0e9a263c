package io.inferscope.cli.analyze;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess;
import io.inferscope.cli.TestProgram;
import io.inferscope.cli.common.Settings;
import io.inferscope.timeline.fixture.Until;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class OpenCommandTest {
    private static final Path TRACE = Path.of("../examples/demo/decode.json");

    @Test
    void aTraceIsServedOnceToPerfettoAlone() throws Exception {
        PipedWriter out = new PipedWriter();
        try (Scanner printed = new Scanner(new PipedReader(out))) {
            CommandLine line = new CommandLine(new OpenCommand(new Settings(Map.of(), Path.of(""))).spec())
                    .registerConverter(Path.class, Path::of)
                    .setOut(new PrintWriter(out));
            CompletableFuture<Integer> served = CompletableFuture.supplyAsync(
                    () -> line.execute("--perfetto", "--no-browser", "--port", "0", TRACE.toString()));
            String address = printed.nextLine();
            assertThat(address)
                    .matches("https://ui\\.perfetto\\.dev/#!/\\?url=http://127\\.0\\.0\\.1:[0-9]+/[0-9a-f]{32}"
                            + "/trace\\.json&visStart=[0-9]+&visEnd=[0-9]+");
            URI file = URI.create(address.replaceFirst(".*url=", "").replaceFirst("&.*", ""));

            assertThat(get(file.resolve("/other.json")).getResponseCode()).isEqualTo(404);
            HttpURLConnection connection = get(file);
            assertThat(connection.getHeaderField("Access-Control-Allow-Origin")).isEqualTo("https://ui.perfetto.dev");
            assertThat(connection.getInputStream().readAllBytes()).isEqualTo(Files.readAllBytes(TRACE));
            assertThat(served.get()).isZero();
            assertThat(address).endsWith(partAroundTheLongestGap());
        }
    }

    @Tag("process")
    @Test
    void theBrowsersArgumentsDoNotTellTheSecretAddress(@TempDir Path folder) throws Exception {
        Path told = folder.resolve("told");
        ProcessBuilder builder =
                withBrowser(folder, told, "open", TRACE.toAbsolutePath().toString());
        Process served = builder.start();
        try {
            Until.holds(() -> Files.exists(told) || !served.isAlive());
            String address = Files.readString(folder.resolve(".stdout")).strip();
            Path page = Path.of(URI.create(Files.readString(told).strip()));

            assertThat(Files.readString(told)).doesNotContain(address).doesNotContain(address.split("/")[3]);
            assertThat(Files.readString(page)).contains("url=" + address + "\"");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(page)))
                    .isEqualTo("rw-------");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(page.getParent())))
                    .isEqualTo("rwx------");
            served.destroy();
            served.waitFor();
            assertThat(page.getParent()).doesNotExist();
        } finally {
            served.destroyForcibly();
        }
    }

    @Tag("process")
    @Test
    void anAnalysisOpensItsPageOrServesOne(@TempDir Path folder) throws Exception {
        Path told = folder.resolve("told");
        Path report = folder.resolve("report.html");
        String trace = TRACE.toAbsolutePath().toString();
        Process written = withBrowser(folder, told, "analyze", trace, "-o", report.toString(), "--open")
                .start();

        assertThat(written.waitFor()).isZero();
        Until.holds(() -> Files.exists(told));
        assertThat(Files.readString(told).strip()).isEqualTo(report.toUri().toString());
        assertThat(Files.readString(report)).contains("<!DOCTYPE html>");

        Files.delete(told);
        Process served = withBrowser(folder, told, "analyze", trace, "--open").start();
        try {
            Until.holds(() -> Files.exists(told) || !served.isAlive());
            List<String> out = Files.readAllLines(folder.resolve(".stdout"));
            HttpURLConnection page = get(URI.create(out.get(out.size() - 1)));
            assertThat(new String(page.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("<!DOCTYPE html>");
        } finally {
            served.destroy();
            served.waitFor();
        }
    }

    /** Returns a process of InferScope whose browser writes its arguments to a file. */
    private static ProcessBuilder withBrowser(Path folder, Path told, String... command) throws IOException {
        Path bin = folder.resolve("bin");
        if (!Files.exists(bin)) {
            Files.createDirectory(bin);
            Path browser = Files.writeString(
                    bin.resolve("xdg-open"),
                    "#!/bin/sh\necho \"$@\" > " + told + ".part\nmv " + told + ".part " + told + "\n");
            Files.setPosixFilePermissions(browser, PosixFilePermissions.fromString("rwx------"));
        }
        ProcessBuilder builder = new InferScopeProcess(folder).builder(command);
        builder.environment().put("DISPLAY", ":0");
        builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
        return builder;
    }

    @Test
    void aPortThatIsNoneIsAMistakeOfTheCommandLine() {
        for (String port : new String[] {"70000", "-1"}) {
            TestProgram.Answer run = TestProgram.run("open", "--no-browser", "--port=" + port, TRACE.toString());

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains("--port " + port + ": expected 0 to 65535");
        }
    }

    @Test
    void reportsAreKnownByAllTheEndingsThatTheyAreWrittenWith(@TempDir Path folder) throws IOException {
        for (String name : new String[] {"report.htm", "report.markdown"}) {
            Path report = Files.writeString(folder.resolve(name), "report");

            assertThat(TestProgram.run("open", "--no-browser", report.toString())
                            .out())
                    .isEqualTo(report.toUri() + "\n");
        }
    }

    /** Found by SQL instead of by the analysis: the longest time between two operations of the device, with as much on both sides. */
    private static String partAroundTheLongestGap() {
        String csv = TestProgram.run(
                        "query",
                        TRACE.toString(),
                        "select ended, start_ns - ended as gap from (select start_ns, lag(ends) over (order by start_ns) as ended from"
                                + " (select start_ns, start_ns + duration_ns as ends from kernel union all"
                                + " select start_ns, start_ns + duration_ns from memcpy_d2h)) order by gap desc limit 1",
                        "--format",
                        "csv")
                .out();
        long[] found = csv.lines()
                .skip(1)
                .flatMapToLong(row -> Stream.of(row.split(",")).mapToLong(Long::parseLong))
                .toArray();
        return "&visStart=" + (found[0] - found[1]) + "&visEnd=" + (found[0] + 2 * found[1]);
    }

    private static HttpURLConnection get(URI address) throws IOException {
        return (HttpURLConnection) address.toURL().openConnection();
    }
}

package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.TraceFile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class MainTest {
    @Test
    void versionIsPrintedOnStdout() {
        StringWriter out = new StringWriter();
        int exitCode = Main.commandLine().setOut(new PrintWriter(out)).execute("--version");
        assertThat(exitCode).isZero();
        assertThat(out.toString()).startsWith("inferscope ");
    }

    @Test
    void noCommandIsAUsageErrorOnStderr() {
        StringWriter err = new StringWriter();
        int exitCode = Main.commandLine().setErr(new PrintWriter(err)).execute();
        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString()).contains("Missing command", "inferscope --help");
    }

    @Test
    void aCommandThatIsDescribedAloneIsTheSame() {
        Map<String, CommandLine> all = Main.commandLine().getSubcommands();
        all.forEach((name, command) -> {
            Map<String, CommandLine> described = Main.commandLine(name).getSubcommands();
            assertThat(described).hasSize(Set.of("help", "completion").contains(name) ? all.size() : 1);
            assertThat(described.get(name).getUsageMessage()).isEqualTo(command.getUsageMessage());
            assertThat(command.getCommandSpec().name()).isEqualTo(name);
        });
        assertThat(Main.commandLine("analyse").getSubcommands()).hasSameSizeAs(all);
        assertThat(Main.commandLine("--version").getSubcommands()).isEmpty();
    }

    @Test
    void attachSaysWhatItDoesToJvms() {
        String help = Main.commandLine()
                .getSubcommands()
                .get("attach")
                .getUsageMessage()
                .replaceAll("\\s+", " ");
        assertThat(help)
                .contains("a JVM is asked to record itself", "unless --jfr off says no")
                .doesNotContain("neither stopped nor changed");
    }

    @Test
    void aLackOfMemoryIsOneLineWithARemedy() {
        StringWriter err = new StringWriter();
        CommandSpec hungry = CommandSpec.wrapWithoutInspection((Runnable) () -> {
            throw new OutOfMemoryError("Java heap space");
        });
        CommandLine line = Main.commandLine().addSubcommand("hungry", hungry).setErr(new PrintWriter(err));

        assertThat(Main.run(line, "hungry")).isEqualTo(4);
        assertThat(err.toString())
                .startsWith("inferscope: out of memory (Java heap space) with a heap of ")
                .contains("INFERSCOPE_JAVA_OPTS=-Xmx")
                .hasLineCount(1);
    }

    @Tag("process")
    @Test
    void aTraceTooLargeForTheHeapEndsInOneLine(@TempDir Path folder) throws Exception {
        String json = events(400_000);
        Files.writeString(folder.resolve("large.json"), json);
        Files.write(folder.resolve("large.json.gz"), TraceFile.gzip(json.getBytes(StandardCharsets.UTF_8)));

        for (String name : List.of("large.json", "large.json.gz")) {
            ProcessBuilder builder = new InferScopeProcess(folder).builder("analyze", name);
            builder.environment().put("JDK_JAVA_OPTIONS", "-Xmx20m");
            InferScopeProcess.Result result = new InferScopeProcess(folder).await(builder.start());

            assertThat(result.exitCode()).as(result.stderr()).isEqualTo(4);
            assertThat(result.stderr())
                    .contains("inferscope: out of memory", "with a heap of ", "INFERSCOPE_JAVA_OPTS=-Xmx1g")
                    .doesNotContain("\tat ", "Exception");
        }
    }

    @Tag("process")
    @Test
    void aHeapInAFileGivesTheSameReportAndLeavesNothingBehind(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("trace.json"), events(20_000));
        Path heaps = Files.createDirectory(folder.resolve("heaps"));
        String inFile = " -XX:AllocateHeapAt=" + heaps + " -Dinferscope.heap.folder=" + heaps;

        String ordinary = report(folder, "a.json", "");
        String filed = report(folder, "b.json", inFile);

        assertThat(filed).isEqualTo(ordinary).contains("trace.json");
        assertThat(heaps).isEmptyDirectory();
    }

    private static String report(Path folder, String name, String options) throws Exception {
        InferScopeProcess process = new InferScopeProcess(folder);
        ProcessBuilder builder = process.builder("analyze", "trace.json", "-o", name);
        builder.environment().put("JDK_JAVA_OPTIONS", "-Xmx200m -XX:+UseSerialGC" + options);
        InferScopeProcess.Result result = process.await(builder.start());
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        if (options.isEmpty()) {
            assertThat(result.stderr()).doesNotContain("temporary file");
        } else {
            assertThat(result.stderr()).contains("is kept in a temporary file in " + folder);
        }
        return Files.readString(folder.resolve(name));
    }

    private static String events(int count) {
        StringBuilder json = new StringBuilder("[");
        for (int i = 0; i < count; i++) {
            json.append(i == 0 ? "" : ",")
                    .append("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n")
                    .append(i);
            json.append("\",\"pid\":1,\"tid\":1,\"ts\":").append(i).append(",\"dur\":1}");
        }
        return json.append(']').toString();
    }
}

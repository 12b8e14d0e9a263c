package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.TraceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What other users, and signals, do to the folders that InferScope writes to. */
@Tag("process")
class OutputsFolderTest {
    @TempDir
    Path folder;

    @Test
    void everyCommandRefusesTheFolderOfOutputsIfOthersCanWriteToIt() throws Exception {
        Path outputs = Files.createDirectory(folder.resolve("outputs"));
        Files.setPosixFilePermissions(outputs, PosixFilePermissions.fromString("rwxrwxrwx"));
        String trace = TraceFile.ofHalfIdleDevice(folder).toString();
        Path spools = Files.createDirectory(folder.resolve("spool_x"));
        Files.copy(Path.of("../python/tests/golden/spool-v1.spool"), spools.resolve("x.spool"));
        Map<List<String>, Integer> commands = new LinkedHashMap<>();
        commands.put(List.of("run", "--", "touch", "ran"), 125);
        commands.put(List.of("shapes", "run", "--", "touch", "ran"), 125);
        commands.put(List.of("recover", spools.toString()), 2);
        commands.put(List.of("analyze", trace, "-o", "outputs/x.html"), 2);
        commands.put(List.of("convert", trace, "-o", "outputs/new/x.json"), 2);
        for (Map.Entry<List<String>, Integer> command : commands.entrySet()) {
            InferScopeProcess.Result result =
                    new InferScopeProcess(folder).run(command.getKey().toArray(new String[0]));

            String name = String.join(" ", command.getKey());
            assertThat(result.stderr())
                    .as(name)
                    .contains("cannot write outputs: other users can write to it")
                    .contains("make it yours alone: chmod go-w outputs");
            assertThat(result.exitCode()).as(name).isEqualTo(command.getValue());
        }
        assertThat(outputs).isEmptyDirectory();
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    @Test
    void noFileIsMadeThroughALinkThatLeadsNowhere() throws Exception {
        Path outputs = Files.createDirectory(folder.resolve("outputs"));
        Path away = Files.createDirectory(folder.resolve("away"));
        for (String name : List.of("trace_sh.json.gz", "report_sh-2.md")) {
            Files.createSymbolicLink(outputs.resolve(name), Path.of("../away/" + name));
        }
        InferScopeProcess.Result result = new InferScopeProcess(folder).run("run", "--", "sh", "-c", "exit 3");

        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(3);
        assertThat(outputs.resolve("trace_sh-3.json.gz")).isRegularFile();
        assertThat(outputs.resolve("report_sh-3.md")).isRegularFile();
        assertThat(away).isEmptyDirectory();
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void aSignalEndsTheConversionOfAReportAndWhatItStarted() throws Exception {
        Path programs = Files.createDirectory(folder.resolve("bin"));
        Path nsys = TraceFile.of(
                programs, "nsys", "#!/bin/sh\nsleep 1000 & printf '%s\\n' $! $$ >pids.new; mv pids.new pids; wait\n");
        assertThat(nsys.toFile().setExecutable(true)).isTrue();
        TraceFile.of(folder, "a.nsys-rep", "not known");
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        ProcessBuilder builder = new InferScopeProcess(folder).builder("analyze", "a.nsys-rep");
        builder.command().add(1, "-Djava.io.tmpdir=" + temporary);
        builder.environment().merge("PATH", programs.toString(), (old, own) -> own + ":" + old);
        Process process = builder.start();
        List<ProcessHandle> started = new ArrayList<>();
        try {
            Path pids = folder.resolve("pids");
            while (!Files.exists(pids) && process.isAlive()) {
                Thread.sleep(10);
            }
            for (String pid : Files.readAllLines(pids)) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(started::add);
            }
            assertThat(started).hasSize(2);

            process.destroy(); // SIGTERM
            process.waitFor();

            for (ProcessHandle one : started) {
                one.onExit().get(1, TimeUnit.MINUTES);
            }
            assertThat(left(temporary)).isEmpty();
        } finally {
            started.forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static List<Path> left(Path temporary) throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.filter(file -> file.getFileName().toString().startsWith("inferscope-unpacked"))
                    .toList();
        }
    }
}

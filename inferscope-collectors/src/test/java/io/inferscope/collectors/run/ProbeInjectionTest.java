package io.inferscope.collectors.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.host.HostOptions;
import io.inferscope.collectors.host.HostSampler.SeenProcess;
import io.inferscope.scope.spool.SpoolWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeInjectionTest {
    @TempDir
    Path folder;

    /** A fork without anything to record leaves no file, and was entered all the same. */
    @Test
    void aForkOfAnInterpreterWithTheProbeIsNotCalledSilent() throws Exception {
        Files.createDirectories(folder.resolve("home/python/bootstrap"));
        Path spools = folder.resolve("spools");
        SpoolWriter.open(spools, "python-probe", 10, 1 << 20).close();
        List<SeenProcess> seen = List.of(
                new SeenProcess(10, "python3", 0),
                new SeenProcess(11, "python3", 10),
                new SeenProcess(12, "python3", 11),
                new SeenProcess(13, "python3", 0),
                new SeenProcess(14, "python3", 13),
                new SeenProcess(15, "pypy3.10", 0));
        CaptureOptions options = new CaptureOptions(
                spools,
                folder.resolve("home"),
                true,
                GpuRecording.NONE,
                1 << 20,
                HostOptions.DEFAULT,
                JfrMode.OFF,
                "",
                null);
        try (SpoolWriter writer = SpoolWriter.open(spools, "host", 0, 1 << 20)) {
            new ProbeInjection(options).writeCoverage(seen, spools, writer);
        }
        assertThat(contentOfHostSpool(spools))
                .contains("pid 13 (python3), pid 14 (python3) sent no boot record")
                .contains("pid 15 (pypy3.10) under PyPy, which the probe does not support")
                .doesNotContain("pid 10", "pid 11", "pid 12");
    }

    private static String contentOfHostSpool(Path spools) throws Exception {
        try (Stream<Path> files = Files.list(spools)) {
            Path host = files.filter(file -> file.toString().endsWith("-host.spool"))
                    .findFirst()
                    .orElseThrow();
            return Files.readString(host, StandardCharsets.ISO_8859_1);
        }
    }
}

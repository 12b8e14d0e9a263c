package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.spool.CCompiler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The driver's counters from a run to its trace, through the real binding, over a stand-in for the driver's library. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
@Tag("process")
@Tag("native")
class NvmlRunTest {
    private static final Path STUB =
            Path.of("../inferscope-collectors/src/test/c/nvml_stub.c").toAbsolutePath();

    @TempDir
    Path folder;

    private Path library() throws IOException, InterruptedException {
        Path library = folder.resolve("libnvidia-ml.so.1");
        CCompiler.library(library, STUB.toString(), List.of());
        return library;
    }

    private void unpack(String name) throws IOException {
        Path natives = Files.createDirectories(folder.resolve("home/native/linux-x86-64"));
        try (var in = NvmlRunTest.class.getClassLoader().getResourceAsStream(name)) {
            Files.write(natives.resolve(name.substring(name.lastIndexOf('/') + 1)), in.readAllBytes());
        }
    }

    @Test
    void theDriversCountersReachTheTrace() throws Exception {
        QuietMachine.judge(attempt -> {
            unpack("org/bytedeco/javacpp/linux-x86_64/libjnijavacpp.so");
            unpack("org/bytedeco/cuda/linux-x86_64/libjninvml.so");
            InferScopeProcess inferscope = new InferScopeProcess(folder);
            ProcessBuilder builder =
                    inferscope.builder("run", "--trace", "t.json", "-o", "r.md", "--", "sh", "-c", "sleep 1; exit 5");
            builder.environment().put("INFERSCOPE_NVML", library().toString());
            builder.environment().put("CUDA_VISIBLE_DEVICES", "1,0");
            builder.environment().put("JDK_JAVA_OPTIONS", "-Dinferscope.home=" + folder.resolve("home"));

            InferScopeProcess.Result result = inferscope.await(builder.start());

            assertThat(result.exitCode()).as(result.stderr()).isEqualTo(5);
            String trace = Files.readString(folder.resolve("t.json"));
            assertThat(trace)
                    .contains("nvml.utilisation_ratio{device=\\\"1\\\"}", "nvml.power_watts{device=\\\"0\\\"}")
                    .doesNotContain("nvml.utilisation_ratio{device=\\\"0\\\"}"); // The second device does not tell.
            assertThat(folder.resolve("r.md")).content().contains("counters of 2 of 2 devices");
        });
    }
}

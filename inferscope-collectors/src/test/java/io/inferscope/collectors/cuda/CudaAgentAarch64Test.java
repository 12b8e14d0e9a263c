package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.spool.CCompiler;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent for aarch64, as it is shipped, under emulation and with the same stand-ins; where neither is installed it is skipped, and says so. */
@Tag("process")
@Tag("native")
class CudaAgentAarch64Test {
    private static final Path NATIVE = Path.of("..", "native").toAbsolutePath().normalize();
    private static final String COMPILER = "aarch64-linux-gnu-gcc";
    private static final String EMULATOR = "qemu-aarch64";
    private static final String LIBRARIES = "/usr/aarch64-linux-gnu";

    @TempDir
    Path folder;

    @Test
    void itRecordsTheStandInsWork() throws Exception {
        CCompiler.need(CCompiler.has(COMPILER), "no " + COMPILER + " on the PATH");
        CCompiler.need(CCompiler.has(EMULATOR), "no " + EMULATOR + " on the PATH");
        CCompiler.need(new File(LIBRARIES + "/lib/libc.so.6").exists(), "no C library for aarch64 below " + LIBRARIES);
        Path program = build();
        Path spools = Files.createDirectory(folder.resolve("spools"));
        ProcessBuilder builder = new ProcessBuilder(
                EMULATOR,
                "-L",
                LIBRARIES,
                "-E",
                "LD_LIBRARY_PATH=" + folder,
                program.toString(),
                "launch:1000",
                "graph:2:5",
                "copy:4",
                "sleep:300",
                "launch:10");
        builder.environment().keySet().removeIf(name -> name.startsWith("INFERSCOPE_") || name.startsWith("CUDA_"));
        builder.environment().put("INFERSCOPE_SPOOL_DIR", spools.toString());
        builder.environment()
                .put(
                        "CUDA_INJECTION64_PATH",
                        NATIVE.resolve("linux-aarch64/libinferscope-agent.so").toString());
        assertThat(builder.inheritIO().start().waitFor()).isZero();
        Timeline timeline = CoreFormats.load(spools);
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(1000 + 2 * 5 + 10);
        assertThat(count(timeline, RowKind.MEMCPY_H2D)).isEqualTo(4);
        assertThat(count(timeline, RowKind.GRAPH_LAUNCH)).isEqualTo(2);
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    private static long count(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind)
                .count();
    }

    private Path build() throws Exception {
        for (String name : List.of("cuda", "cupti")) {
            String file = name.equals("cuda") ? "libcuda.so.1" : "libcupti.so.13";
            CCompiler.compile(
                    COMPILER,
                    List.of(
                            "-shared",
                            "-fPIC",
                            "-Wl,-soname," + file,
                            "-o",
                            folder.resolve(file).toString(),
                            NATIVE.resolve("stubs/" + name + ".c").toString()));
        }
        Path program = folder.resolve("program");
        CCompiler.compile(
                COMPILER,
                List.of(
                        "-pthread",
                        "-o",
                        program.toString(),
                        NATIVE.resolve("stubs/program.c").toString(),
                        folder.resolve("libcuda.so.1").toString()));
        return program;
    }
}

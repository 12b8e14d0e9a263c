package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.TraceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a JVM of its own loads: the libraries of formats that are not read cost nothing. */
@Tag("process")
class LoadedClassesTest {
    private static final List<String> LIBRARIES = List.of(
            "org.sqlite.",
            "com.google.protobuf.",
            "org.apache.",
            "jdk.jfr.",
            "org.snakeyaml.",
            "org.bytedeco.",
            "org.tukaani.",
            "io.airlift.",
            "org.jline.",
            "org.duckdb.",
            "io.inferscope.fleet.");

    @TempDir
    Path folder;

    @Test
    void aKinetoTraceIsExplainedWithoutTheLibrariesOfOtherFormats() throws Exception {
        TraceFile.ofHalfIdleDevice(folder);

        List<String> loaded = loaded("analyze", "trace.json");

        assertThat(loaded.stream().filter(name -> name.startsWith("io.inferscope.timeline.kineto.")))
                .contains("io.inferscope.timeline.kineto.KinetoSink");
        assertThat(loaded.stream().filter(name -> LIBRARIES.stream().anyMatch(name::startsWith)))
                .isEmpty();
    }

    private List<String> loaded(String... arguments) throws IOException, InterruptedException {
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        Path log = folder.resolve("classes.log");
        ProcessBuilder builder = inferscope.builder(arguments);
        builder.environment().put("JDK_JAVA_OPTIONS", "-Xlog:class+load=info:file=classes.log:none");
        InferScopeProcess.Result result = inferscope.await(builder.start());
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return Files.readAllLines(log).stream()
                .map(line -> line.split(" ", 2)[0])
                .toList();
    }
}

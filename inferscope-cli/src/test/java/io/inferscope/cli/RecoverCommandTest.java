package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs that did not come to their end, and what is made of them. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class RecoverCommandTest {
    /** Stores more ranges than a small heap holds. */
    private static final String MANY_RANGES = """
            import sys
            from inferscope import scope
            for i in range(20_000):
                with scope('range %d' % i): pass
            sys.exit(7)
            """;

    @TempDir
    Path folder;

    private InferScopeProcess inferscope;

    @BeforeEach
    void prepare() {
        inferscope = new InferScopeProcess(folder);
    }

    @Test
    void lackOfMemoryIsOneLineAndTheRecordingIsKept() throws Exception {
        Files.writeString(folder.resolve("infer.py"), MANY_RANGES);
        ProcessBuilder small = inferscope.builder("run", "python3", "infer.py");
        small.environment().put("JDK_JAVA_OPTIONS", "-Xmx16m");
        Result result = inferscope.await(small.start());
        assertThat(result.exitCode()).isEqualTo(7);
        List<String> said = result.stderr()
                .lines()
                .filter(line -> !line.startsWith("NOTE: "))
                .toList();
        assertThat(said).hasSize(1);
        assertThat(said.get(0))
                .startsWith("inferscope: no report: out of memory")
                .contains("INFERSCOPE_JAVA_OPTS=-Xmx")
                .endsWith("inferscope recover " + folder.resolve("outputs/spool_infer"));
        Result recovered = inferscope.run("recover", "outputs/spool_infer");
        assertThat(recovered.exitCode()).isZero();
        assertThat(recovered.out()).contains("The program ended with exit code 7");
    }

    @Test
    void aFolderThatIsNotThereIsInputThatCannotBeRead() throws Exception {
        Result result = InferScopeProcess.here(
                "recover", folder.resolve("outputs/spool_typo").toString());
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.stderr()).contains("outputs/spool_typo: there is no such folder");
    }

    @Test
    void whatOtherRecordersWroteIsUsedWithoutTheHostsSpool() throws Exception {
        Files.writeString(
                folder.resolve("infer.py"),
                "import time\nfrom inferscope import scope\nwith scope('tokenize all'): time.sleep(1)\n");
        assertThat(inferscope.run("run", "--keep-spool", "python3", "infer.py").exitCode())
                .isZero();
        Path spools = folder.resolve("outputs/spool_infer");
        for (Path spool : files(spools)) {
            if (spool.toString().endsWith("-host.spool")) {
                Files.delete(spool);
            }
        }
        Result result = inferscope.run("recover", "--trace", "t.json", "outputs/spool_infer");
        assertThat(result.exitCode()).isZero();
        assertThat(result.stderr()).contains("the host recorder's spool is missing");
        assertThat(folder.resolve("t.json")).content().contains("tokenize all");
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}

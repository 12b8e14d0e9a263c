package io.inferscope.collectors.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Everybody can write to the folder that the map lies in. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PerfMapTest {
    private static final Path PROCESS = Path.of("/proc/self");

    @TempDir
    Path folder;

    @Test
    void anAddressHasTheNameOfTheFunctionThatBeginsBeforeIt() throws Exception {
        Path map = Files.writeString(folder.resolve("map"), "1000 10 py::f:a.py\n2000 20 two words\nhalf a line\n30");
        PerfMap names = PerfMap.read(map, PROCESS);
        assertThat(names.name(0x1004)).isEqualTo("py::f:a.py");
        assertThat(names.name(0x2fff)).isEqualTo("two words");
        assertThat(names.name(1)).isEqualTo("[generated code]");
    }

    @Test
    void neitherLinksNorPipesNorDevicesAreOpened() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "1000 10 secret\n");
        Path link = Files.createSymbolicLink(folder.resolve("link"), secret);
        assertThat(PerfMap.read(link, PROCESS).name(0x1000)).isEqualTo("[generated code]");
        Path zeros = Files.createSymbolicLink(folder.resolve("zeros"), Path.of("/dev/zero"));
        assertThat(PerfMap.read(zeros, PROCESS).name(0x1000)).isEqualTo("[generated code]");
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertThat(PerfMap.read(pipe, PROCESS).name(0x1000)).isEqualTo("[generated code]");
    }

    @Test
    void aFileOfAnotherUserIsNotBelieved() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root gives files away");
        Path map = Files.writeString(folder.resolve("map"), "1000 10 planted\n");
        Files.setAttribute(map, "unix:uid", 65534);
        assertThat(PerfMap.read(map, PROCESS).name(0x1000)).isEqualTo("[generated code]");
    }

    @Test
    void ofALongMapAPartIsRead() throws Exception {
        Path map = Files.writeString(
                folder.resolve("map"), "1000 10 first\n" + "x".repeat(PerfMap.MAX_BYTES) + "\n2000 10 behind\n");
        assertThat(PerfMap.read(map, PROCESS).name(0x2000)).isEqualTo("first");
    }
}

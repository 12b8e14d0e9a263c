package io.inferscope.collectors.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.timeline.Frame;
import io.inferscope.timeline.files.KnowledgeTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Everybody can write to the folder that the map lies in. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PerfMapTest {
    private static final Path PROCESS = Path.of("/proc/self");

    @TempDir
    Path folder;

    @Test
    void anAddressHasTheNameOfTheFunctionThatItIsIn() throws Exception {
        Path map = Files.writeString(folder.resolve("map"), "1000 10 py::f:a.py\n2000 20 two words\nhalf a line\n30");
        PerfMap names = PerfMap.read(map, PROCESS);
        assertThat(names.name(0x100f)).isEqualTo("py::f:a.py");
        assertThat(names.name(0x2004)).isEqualTo("two words");
        assertThat(names.name(0x1010)).isEqualTo("[generated code]");
        assertThat(names.name(1)).isEqualTo("[generated code]");
    }

    @Test
    void codeThatIsWrittenLaterIsThereInsteadOfWhatItLiesOn() throws Exception {
        Path map = Files.writeString(folder.resolve("map"), "1000 40 old\n1040 40 older\n1100 40 other\n20");
        PerfMap names = PerfMap.read(map, PROCESS);
        Files.writeString(map, "00 10 whole\n1020 40 new\n", StandardOpenOption.APPEND);
        names.readOn();
        assertThat(names.name(0x1010)).isEqualTo("old");
        assertThat(names.name(0x1050)).isEqualTo("new");
        assertThat(names.name(0x1070)).isEqualTo("[generated code]");
        assertThat(names.name(0x1110)).isEqualTo("other");
        assertThat(names.name(0x2001)).isEqualTo("whole");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "JS:^catalog /srv/app.js:9:17 | /srv/app.js(9): catalog",
                "JS:*Router.get name /srv/my app/r.js:120:3 | /srv/my app/r.js(120): Router.get name",
                "JS:~ node:internal/fs/utils:671:38 | node:internal/fs/utils(671): <anonymous>",
                "LazyCompile:~load file:///srv/app.mjs:7:1 | /srv/app.mjs(7): load",
                "RegExp:^(a+)+/x:1:2 | RegExp:^(a+)+/x:1:2",
                "py::step:/srv/a.py | py::step:/srv/a.py",
            })
    void aNameTellsTheLineOfItsFunction(String name, String frame) {
        SourceLines.Line line = PerfMap.line(name);
        assertThat(Frame.text(line.function(), line.file(), line.line())).isEqualTo(frame);
    }

    @Test
    void theExampleOfEachFormOfANameTellsALine() {
        assertThat(KnowledgeTable.read(PerfMap.class, "generated-names.tsv", cells -> cells))
                .isNotEmpty()
                .allSatisfy(row -> {
                    assertThat(row[1]).matches(row[0]);
                    assertThat(PerfMap.line(row[1]).line()).isPositive();
                });
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
        assertThat(PerfMap.read(map, PROCESS).name(0x1000)).isEqualTo("first");
        assertThat(PerfMap.read(map, PROCESS).name(0x2000)).isEqualTo("[generated code]");
    }
}

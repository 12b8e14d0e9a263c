package io.inferscope.collectors.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.symbols.SourceLines.Line;
import io.inferscope.collectors.symbols.SourceLines.Place;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Lines of code from debugging information. */
class SourceLinesTest {
    private final Queue<Runnable> left = new ArrayDeque<>();

    @TempDir
    Path folder;

    @Test
    void inlinedFunctionsAreReadInnermostFirst() {
        assertThat(SourceLines.parse("""
                        0x0000000000001149
                        _ZN5serve3mixEj
                        /src/build/../mix.h:4
                        score
                        /src/serve.cpp:8 (discriminator 3)
                        0x00000000000011b0
                        ??
                        ??:0
                        0x00000000000011c0
                        generated
                        /src/serve.cpp:?
                        0x00000000000011d0
                        cut
                        """))
                .hasSize(4)
                .containsEntry(0x11b0L, List.of())
                .containsEntry(0x11c0L, List.of())
                .extractingByKey(0x1149L)
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .containsExactly(new Line("serve::mix", "/src/mix.h", 4), new Line("score", "/src/serve.cpp", 8));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @Tag("process")
    void aFileThatIsNoneHasNoLinesAndIsAskedOnce() throws Exception {
        SourceLines lines = new SourceLines(Files.writeString(folder.resolve("text"), "no program"), left::add);
        Place place = hurry -> lines.at(0x1149, hurry);
        assertThat(place.lines(false)).isNull();
        left.remove().run();
        assertThat(place.lines(false)).isEmpty();
        assertThat(lines.at(0x11b0, true)).isEmpty();
        assertThat(left).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @Tag("native")
    void linesOfARealFileAreRead() throws Exception {
        for (String tool : new String[] {"cc", "addr2line", "objcopy", "strip"}) {
            assumeTrue(run("command -v " + tool) == 0, tool + " is not installed");
        }
        Files.writeString(folder.resolve("score.c"), """
                int twice(int x) {
                    return x * 2;
                }
                """);
        assertThat(run("cc -g -O1 -shared -fPIC -o inside.so score.c && cp inside.so beside.so"
                        + " && objcopy --only-keep-debug beside.so beside.debug && strip beside.so"
                        + " && objcopy --add-gnu-debuglink=beside.debug beside.so"
                        + " && cp beside.so none.so && strip -R .gnu_debuglink none.so"))
                .isZero();
        for (String name : new String[] {"inside.so", "beside.so"}) {
            Path file = folder.resolve(name);
            assertThat(ElfFile.functions(file).describesLines()).as(name).isTrue();
            SourceLines read = new SourceLines(file, left::add);
            long twice = ElfFile.read(file, Set.of("twice"), ".none").symbol("twice");
            Place place = hurry -> read.at(twice, hurry);
            assertThat(place.lines(false)).isNull();
            left.remove().run();
            assertThat(place.lines(false)).as(name).singleElement().satisfies(line -> {
                assertThat(line.function()).isEqualTo("twice");
                assertThat(line.file()).endsWith("/score.c");
                assertThat(line.line()).isBetween(1, 3);
            });
        }
        assertThat(ElfFile.functions(folder.resolve("none.so")).describesLines())
                .isFalse();
    }

    private int run(String script) throws Exception {
        return new ProcessBuilder("sh", "-c", script)
                .directory(folder.toFile())
                .inheritIO()
                .start()
                .waitFor();
    }
}

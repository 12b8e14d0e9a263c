package io.inferscope.timeline.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.text.ShellText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramsTest {
    @Test
    void onlyAbsoluteFoldersAreSearched(@TempDir Path folder) throws Exception {
        Path program = Files.createFile(folder.resolve("nsys"));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Path relative = Path.of("").toAbsolutePath().relativize(folder);
        assertThat(relative.resolve("nsys")).exists();

        for (String entry : List.of("", ".", relative.toString(), "./" + relative)) {
            assertThat(Programs.find("nsys", entry + ":" + entry + ":/none:"))
                    .as(entry)
                    .isEmpty();
            assertThat(Programs.find("nsys", entry + ":" + folder)).as(entry).contains(program);
        }
    }

    @Test
    void aFolderOrAFileThatCannotBeExecutedIsNoProgram(@TempDir Path folder) throws Exception {
        Files.createDirectories(folder.resolve("a/nsys"));
        Files.createDirectory(folder.resolve("b"));
        Files.createFile(folder.resolve("b/nsys"));

        assertThat(Programs.find("nsys", folder + "/a:" + folder + "/b")).isEmpty();
    }

    @Test
    @Tag("process")
    void aShellTakesAnyNameForOneWord() throws Exception {
        for (String name : List.of(
                "plain.json",
                "a b",
                "$(touch x)",
                "`id`",
                "it's",
                "a;b",
                "a\nb",
                "*",
                "~",
                "a\"b\\",
                "#x",
                "&",
                "é",
                "!1")) {
            assertThat(said(ShellText.quoted(name))).isEqualTo(name);
        }
        assertThat(said(ShellText.command(List.of("a b", "c'd")))).isEqualTo("a bc'd");
        assertThat(said(ShellText.file("-o x"))).isEqualTo("./-o x");
        assertThat(ShellText.quoted("--output=a/b-1.sqlite")).isEqualTo("--output=a/b-1.sqlite");
        assertThat(Stream.of("", "a b").map(ShellText::quoted)).containsExactly("''", "'a b'");
    }

    private static String said(String words) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "printf %s " + words).start();
        byte[] out = process.getInputStream().readAllBytes();
        assertThat(process.waitFor()).isZero();
        return new String(out, StandardCharsets.UTF_8);
    }
}

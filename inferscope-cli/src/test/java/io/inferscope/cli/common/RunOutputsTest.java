package io.inferscope.cli.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunOutputsTest {
    @ParameterizedTest
    @CsvSource({
        "python infer.py --n 3, infer",
        "python3.11 -m vllm.entrypoints, vllm.entrypoints",
        "/opt/bin/python3.15t serve.py, serve",
        "/usr/bin/env OMP_NUM_THREADS=1 python3 -u dir/my.py, my",
        "./server --port 1, server",
        "python3 -c print(1), python3",
        "java -Xmx1g -cp a.jar:b io.example.Server --port 1, io.example.Server",
        "java -jar dir/app.jar, app.jar",
        "nice -n 5 python3 -X dev infer.py, infer",
        "sh -c true, sh",
        "torchrun train.py, torchrun",
        "'a b.py', a"
    })
    void outputsAreNamedAfterTheProgram(String line, String expected) {
        assertThat(RunOutputs.program(List.of(line.split(" ", -1)))).isEqualTo(expected);
    }

    @Test
    void runsThatStartAtOnceShareNoFile(@TempDir Path folder) throws Exception {
        ExecutorService together = Executors.newFixedThreadPool(8);
        List<Future<RunOutputs.Reserved>> runs = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            runs.add(together.submit(() -> RunOutputs.reserve(folder.resolve("t.json"), "reserved_test")));
        }
        Set<Path> spools = new HashSet<>();
        Set<Path> reports = new HashSet<>();
        for (Future<RunOutputs.Reserved> run : runs) {
            spools.add(run.get().spools().path());
            reports.add(run.get().report());
        }
        together.shutdown();
        assertThat(spools).hasSize(40).allMatch(path -> permissions(path).equals("rwx------"));
        assertThat(reports).hasSize(40);
    }

    /** Its owner could put anything in the place of what is written to it. */
    @Test
    void aFolderOfAnotherUserIsRefused(@TempDir Path folder) throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root gives files away");
        Path theirs = Files.createDirectory(folder.resolve("theirs"));
        Files.setAttribute(theirs, "unix:uid", 65534);
        assertThatThrownBy(() -> RunOutputs.reserve(theirs.resolve("t.json"), "reserved_test"))
                .hasMessageContaining("theirs: it belongs to user ")
                .hasMessageContaining("could replace what is written to it");
        assertThat(theirs).isEmptyDirectory();
    }

    @Test
    void aLinkOfAnotherUserToAFolderIsRefused(@TempDir Path folder) throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root gives files away");
        Path mine = Files.createDirectory(folder.resolve("mine"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), mine);
        WholeFile.checkPrivate(link);
        assertThat(new ProcessBuilder("chown", "-h", "65534", link.toString())
                        .start()
                        .waitFor())
                .isZero();

        assertThatThrownBy(() -> RunOutputs.reserve(link.resolve("t.json"), "reserved_test"))
                .hasMessageContaining("link: it is a link, a pipe or a device of user ");
        assertThatThrownBy(() -> WholeFile.checkPrivate(link)).hasMessageContaining("which could lead anywhere");
        assertThat(mine).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({"rwxrwxrwx, true", "rwxr-xrwx, true", "rwxr-xr-x, false", "rwx------, false"})
    void aFolderThatAllUsersCanWriteToIsRefused(String mode, boolean isRefused, @TempDir Path folder) throws Exception {
        Path open = Files.createDirectory(folder.resolve("a b"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString(mode));

        if (isRefused) {
            assertThatThrownBy(() -> WholeFile.checkPrivate(open))
                    .hasMessageContaining("other users can write to it, and could replace what is written to it")
                    .hasMessageEndingWith("make it yours alone: chmod go-w '" + open + "'");
        } else {
            WholeFile.checkPrivate(open);
        }
    }

    /** The folder above may be one that others write to, the observed program for one. */
    @Test
    void anotherFolderInThePlaceOfTheSpoolsIsNeitherReadNorEmptied(@TempDir Path folder) throws Exception {
        Path precious = Files.createDirectory(folder.resolve("precious"));
        Files.writeString(precious.resolve("kept"), "kept");
        SpoolFolder spools = SpoolFolder.make(folder.resolve("spools"));
        spools.check();
        Files.delete(spools.path());
        Files.createSymbolicLink(spools.path(), precious);
        assertThatThrownBy(spools::check).hasMessageContaining("the spool folder was replaced");
        spools.delete();
        Files.delete(spools.path());
        Files.move(precious, spools.path());
        assertThatThrownBy(spools::check).hasMessageContaining("the spool folder was replaced");
        spools.delete();
        assertThat(spools.path().resolve("kept")).hasContent("kept");
    }

    @Test
    void spoolsAreDeletedAndLinksAmongThemNotFollowed(@TempDir Path folder) throws Exception {
        Path outside = Files.createDirectories(folder.resolve("outside/inside"));
        Files.writeString(outside.resolve("kept"), "kept");
        SpoolFolder spools = SpoolFolder.make(folder.resolve("spools"));
        Files.createDirectories(spools.path().resolve("jvm-7/2026"));
        Files.writeString(spools.path().resolve("jvm-7/2026/part.jfr"), "x");
        Files.createSymbolicLink(spools.path().resolve("jvm-8"), folder.resolve("outside"));
        spools.delete();
        assertThat(spools.path()).doesNotExist();
        assertThat(outside.resolve("kept")).hasContent("kept");
    }

    private static String permissions(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void existingFilesAreNotOverwritten(@TempDir Path folder) throws Exception {
        assertThat(RunOutputs.unused(folder, "trace_x", ".json.gz")).hasFileName("trace_x.json.gz");
        Files.createFile(folder.resolve("trace_x.json.gz"));
        Files.createFile(folder.resolve("trace_x-2.json.gz"));
        assertThat(RunOutputs.unused(folder, "trace_x", ".json.gz")).hasFileName("trace_x-3.json.gz");
    }
}

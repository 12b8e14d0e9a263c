package io.inferscope.timeline.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    @TempDir
    Path folder;

    @Test
    void aNewFileIsItsOwnersAlone() throws Exception {
        Path file = folder.resolve("made/on/the/way/r.md");
        write(file, "report");
        assertThat(file).hasContent("report");
        assertThat(permissions(file)).isEqualTo("rw-------");
        assertThat(content(file.getParent())).containsExactly(file);
    }

    @Test
    void aReplacedFileKeepsItsPermissions() throws Exception {
        Path file = Files.writeString(folder.resolve("r.md"), "before");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        write(file, "after");
        assertThat(file).hasContent("after");
        assertThat(permissions(file)).isEqualTo("rw-r-----");
    }

    @Test
    void aFailureLeavesWhatWasThereAndNothingElse() throws Exception {
        Path file = Files.writeString(folder.resolve("r.md"), "before");
        assertThatThrownBy(() -> WholeFile.write(file, out -> {
                    out.write('x');
                    throw new IOException("No space left on device");
                }))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("r.md")
                .hasMessageContaining("No space left");
        assertThat(file).hasContent("before");
        assertThat(content(folder)).containsExactly(file);
    }

    @Test
    void aPlantedLinkUnderTheOldTemporaryNameIsNotTouched() throws Exception {
        Path victim = Files.writeString(folder.resolve("victim"), "precious");
        Path planted = Files.createSymbolicLink(folder.resolve("r.md.unfinished"), victim);
        write(folder.resolve("r.md"), "report");
        assertThat(victim).hasContent("precious");
        assertThat(planted).isSymbolicLink();
    }

    @Test
    void whatIsWrittenCannotBeEnteredByOthersMeanwhile() throws Exception {
        WholeFile.make(folder.resolve("r.db"), unfinished -> {
            assertThat(permissions(unfinished.getParent())).isEqualTo("rwx------");
            Files.writeString(unfinished, "x");
        });
        assertThat(folder.resolve("r.db")).hasContent("x");
    }

    @Test
    void anOwnLinkStaysAndItsTargetIsReplaced() throws Exception {
        Path target = Files.writeString(folder.resolve("target"), "before");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("target"));
        Path second = Files.createSymbolicLink(folder.resolve("second"), link);
        write(second, "after");
        assertThat(second).isSymbolicLink();
        assertThat(link).isSymbolicLink();
        assertThat(target).hasContent("after");

        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("new"));
        write(dangling, "new");
        assertThat(dangling).isSymbolicLink();
        assertThat(folder.resolve("new")).hasContent("new");
    }

    @Test
    void linksInACircleAreRefused() throws Exception {
        Path a = Files.createSymbolicLink(folder.resolve("a"), folder.resolve("b"));
        Files.createSymbolicLink(folder.resolve("b"), a);
        assertThatThrownBy(() -> write(a, "x")).hasMessageContaining("circle");
    }

    @Test
    void somebodyElsesLinkIsRefused() throws Exception {
        Path victim = Files.writeString(folder.resolve("victim"), "precious");
        Path link = Files.createSymbolicLink(folder.resolve("r.md"), victim);
        FileOwnerAttributeView view =
                Files.getFileAttributeView(link, FileOwnerAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        assumeTrue("root".equals(System.getProperty("user.name")), "only root gives files away");
        UserPrincipal nobody =
                FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
        view.setOwner(nobody);

        assertThatThrownBy(() -> write(link, "x")).hasMessageContaining("of user nobody");
        assertThat(victim).hasContent("precious");
    }

    @Test
    void aPipeIsWrittenToAndStays() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<String> read = reading(pipe);
        write(pipe, "report");
        assertThat(read.get()).isEqualTo("report");

        read = reading(pipe);
        WholeFile.make(pipe, file -> Files.writeString(file, "database"));
        assertThat(read.get()).isEqualTo("database");
        assertThat(Files.readAttributes(pipe, BasicFileAttributes.class).isOther())
                .isTrue();
    }

    @Test
    void devicesAndStandardStreamsAreNoFilesToReplace() {
        assertThat(Stream.of("/dev/null", "/dev/stdout", "/dev/fd/2", "/proc/self/fd/1")
                        .map(Path::of))
                .allMatch(WholeFile::isStream);
        assertThat(WholeFile.isStream(folder)).isFalse();
        assertThat(WholeFile.isStream(folder.resolve("none"))).isFalse();
    }

    private static CompletableFuture<String> reading(Path pipe) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readString(pipe);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static void write(Path file, String text) throws IOException {
        WholeFile.write(file, out -> out.write(text.getBytes(UTF_8)));
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static List<Path> content(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}

package io.inferscope.formats.fuzz;

import io.inferscope.formats.Formats;
import io.inferscope.formats.archive.InputFiles;
import io.inferscope.timeline.fixture.FuzzFile;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Unpacks bytes as any archive or compressed file. Jazzer calls it: {@code lab/fuzz}. */
public final class ArchiveTarget {
    /** What an archive of some kilobytes may take on the disk, as docs/formats.md has it, with one buffer more. */
    private static final long MOST_BYTES = (256L << 20) + (1 << 20);

    /** Five names and a sentence on each of nine reasons. */
    private static final int MOST_CHARACTERS = 20_000;

    private static final Path FOLDER = ownFolder();
    private static final Path FILE = FuzzFile.make();

    private ArchiveTarget() {}

    /** Temporary files go to a folder of this process alone, so that any other file in it is a file that was written elsewhere. */
    private static Path ownFolder() {
        Path folder = Path.of(System.getProperty("java.io.tmpdir"))
                .resolve("inferscope-fuzz-" + ProcessHandle.current().pid());
        folder.toFile().mkdir();
        folder.toFile().deleteOnExit();
        System.setProperty("java.io.tmpdir", folder.toString());
        return folder;
    }

    /**
     * Throws where unpacking breaks a promise: anything but {@link ImportException}, a message of pages, a link, a file
     * outside of the folder, more than the bound on the disk, something left at the end.
     */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        Files.write(FILE, input);
        try (InputFiles handed =
                InputFiles.of(List.of(new Input(FILE, null)), Formats.importers(), InputStream.nullInputStream(), "")) {
            Path unpacked = handed.inputs().get(0).file();
            check(handed.damage());
            handed.contents().forEach(ArchiveTarget::check);
            if (!unpacked.equals(FILE)) {
                check(unpacked);
            }
        } catch (ImportException refused) {
            check(String.valueOf(refused.getMessage()));
        }
        try (Stream<Path> left = Files.list(FOLDER)) {
            List<Path> others = left.filter(file -> !file.equals(FILE)).toList();
            if (!others.isEmpty()) {
                throw new AssertionError("left or written elsewhere: " + others);
            }
        }
    }

    private static void check(String line) {
        if (line.length() > MOST_CHARACTERS) {
            throw new AssertionError("a long message: " + line.substring(0, Math.min(400, line.length())));
        }
    }

    /** Checks everything that was unpacked with a file: its folder is in a folder of the temporary folder. */
    private static void check(Path unpacked) throws IOException {
        Path temporary = unpacked;
        while (!String.valueOf(temporary.getFileName()).startsWith("inferscope-unpacked")) {
            temporary = temporary.getParent();
        }
        long bytes = 0;
        try (Stream<Path> files = Files.walk(temporary)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    bytes += Files.size(file);
                } else if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                    throw new AssertionError("neither a file nor a folder: " + file);
                }
            }
        }
        if (bytes > MOST_BYTES) {
            throw new AssertionError(bytes + " bytes were written");
        }
    }
}

package io.inferscope.timeline;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes files that appear whole or not at all. */
public final class WholeFile {
    private WholeFile() {}

    /** Writes the content of a file. */
    @FunctionalInterface
    public interface Content {
        /** Writes everything; the stream is closed by the caller. */
        void writeTo(OutputStream out) throws IOException;
    }

    /** Makes a file. */
    @FunctionalInterface
    public interface Maker {
        /** Makes the file, which is not there. */
        void make(Path file) throws IOException;
    }

    /** Writes {@code file} under another name beside it and renames it when it is complete. Folders are made. */
    public static void write(Path file, Content content) throws IOException {
        make(file, unfinished -> {
            try (OutputStream out = Files.newOutputStream(unfinished)) {
                content.writeTo(out);
            }
        });
    }

    /** The same for what writes into files by their names alone. */
    public static void make(Path file, Maker maker) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        unfinished.toFile().deleteOnExit(); // For a signal that ends the JVM in the middle of it.
        try {
            Files.deleteIfExists(unfinished);
            maker.make(unfinished);
            Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw e.getClass() == IOException.class ? named(file, e) : e;
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /** A full disk, for one, does not say which file it has no room for. */
    private static IOException named(Path file, IOException e) {
        FileSystemException named = new FileSystemException(file.toString(), null, e.getMessage());
        named.initCause(e);
        return named;
    }
}

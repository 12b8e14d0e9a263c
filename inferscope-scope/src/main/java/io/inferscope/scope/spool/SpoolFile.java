package io.inferscope.scope.spool;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Where a {@link SpoolWriter} puts its bytes; a port, so that a test can be a full disk. */
interface SpoolFile extends Closeable {
    FileAttribute<?> OWNER_ONLY = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** Thrown when the disk has no room left. */
    @SuppressWarnings("serial") // never serialised
    final class DiskFull extends IOException {
        DiskFull(IOException cause) {
            super(cause);
        }
    }

    /**
     * Writes {@code length} bytes at {@code offset}.
     *
     * @throws DiskFull when that is why it cannot
     */
    void write(long offset, byte[] bytes, int length) throws IOException;

    @Override
    void close() throws IOException;

    /**
     * Creates a file. Not a {@code FileChannel}: that closes itself when a thread that writes to it is interrupted, and here the
     * observed program's own threads write.
     */
    static SpoolFile create(Path path) throws IOException {
        Files.createFile(path, OWNER_ONLY); // Spools hold names and paths of the program.
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        return new SpoolFile() {
            @Override
            public void write(long offset, byte[] bytes, int length) throws IOException {
                try {
                    file.seek(offset);
                    file.write(bytes, 0, length);
                } catch (IOException e) {
                    // The text of the error is in the language of the user's locale: the disk itself is asked.
                    throw path.toFile().getUsableSpace() < length ? new DiskFull(e) : e;
                }
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}

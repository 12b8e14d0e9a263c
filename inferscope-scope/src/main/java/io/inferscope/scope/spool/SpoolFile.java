package io.inferscope.scope.spool;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** The file to which a {@link SpoolWriter} writes. An interface, so that a test can simulate a full disk. */
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
     * @throws DiskFull when the disk has no room for the bytes
     */
    void write(long offset, byte[] bytes, int length) throws IOException;

    @Override
    void close() throws IOException;

    /**
     * Creates a file. Not a {@code FileChannel}: that closes itself when a thread that writes to it is interrupted, and
     * the threads that write here are those of the observed program.
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
                    // The message of the error cannot be used, since it depends on the user's locale. So the free space
                    // is compared.
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

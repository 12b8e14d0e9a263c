package io.inferscope.timeline.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A lock between processes on a file, which is not deleted. The kernel releases the lock when the process that holds it
 * ends, even if killed.
 */
public final class ProcessLock implements AutoCloseable {
    private final FileChannel channel;

    private ProcessLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Takes the lock; empty when another process, or another thread of this one, holds it. */
    public static Optional<ProcessLock> tryTake(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            FileLock lock = channel.tryLock();
            taken = lock != null;
            return taken ? Optional.of(new ProcessLock(channel)) : Optional.empty();
        } catch (OverlappingFileLockException heldHere) {
            return Optional.empty();
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package io.inferscope.collectors.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The ids of the calling thread.
 *
 * @param pthread its pthread id
 * @param tid its kernel thread id
 */
public record OwnThread(long pthread, int tid) {
    private static final Path THREAD_SELF = Path.of("/proc/thread-self");

    /**
     * Returns the calling thread.
     *
     * @throws IOException if {@code /proc} does not show them
     */
    public static OwnThread current() throws IOException {
        Path link = Files.readSymbolicLink(THREAD_SELF); // <pid>/task/<tid>, proc(5)
        return new OwnThread(
                LibC.pthread_self(), Integer.parseInt(link.getFileName().toString()));
    }
}

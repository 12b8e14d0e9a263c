package io.inferscope.collectors.os;

/** The system did not start a program. */
public final class SpawnException extends Exception {
    private static final long serialVersionUID = 1L;

    /** {@code errno} of a file that is not a binary and names no interpreter (errno.h). */
    public static final int ENOEXEC = 8;

    /** {@code errno} of a missing file or interpreter. */
    public static final int ENOENT = 2;

    private static final int EAGAIN = 11;
    private static final int ENOMEM = 12;

    private final int errno;

    SpawnException(int errno, String text) {
        super(text);
        this.errno = errno;
    }

    /** Returns the system's error number. */
    public int errno() {
        return errno;
    }

    /** Returns whether processes or memory have run out, which says nothing about the program. */
    public boolean isShortage() {
        return errno == EAGAIN || errno == ENOMEM;
    }
}

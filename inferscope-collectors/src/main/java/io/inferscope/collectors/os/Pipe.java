package io.inferscope.collectors.os;

/**
 * A pipe. If nothing is ever written into it, its reader learns that this process has ended.
 */
public final class Pipe implements AutoCloseable {
    private final int[] ends = new int[2];

    /**
     * Makes a pipe. Children do not inherit its ends unless one is passed explicitly.
     *
     * @throws SpawnException when the system has no descriptor left
     */
    public Pipe() throws SpawnException {
        if (LibC.pipe2(ends, LibC.O_CLOEXEC) != 0) {
            throw new SpawnException(com.sun.jna.Native.getLastError(), "no pipe can be made");
        }
    }

    public int readEnd() {
        return ends[0];
    }

    int writeEnd() {
        return ends[1];
    }

    @Override
    public void close() {
        LibC.close(ends[0]);
        LibC.close(ends[1]);
    }
}

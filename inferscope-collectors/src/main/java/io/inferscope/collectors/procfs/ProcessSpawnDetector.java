package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.Kernel;

/**
 * Detects from one small file whether any process or thread started or ended, so that new ones need not be searched for all the time.
 * {@code /proc/loadavg} holds how many threads the machine has and the id given out last (proc(5)): where neither moved, there is nobody
 * new.
 *
 * <p>A thread is counted a moment after its id was given out, so silence is believed from the second time on. Some containers are shown a
 * file that a daemon writes now and then: call {@link #distrust} when a process was missed.
 */
public final class ProcessSpawnDetector {
    private static final int LAST_ID = 4;
    private static final int BUFFER_BYTES = 128;

    private final Kernel kernel;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int descriptor;
    private long threads = -1;
    private long lastId = -1;
    private boolean wasSilent;

    public ProcessSpawnDetector(Kernel kernel) {
        this.kernel = kernel;
        descriptor = kernel.open("/proc/loadavg");
    }

    /** Returns whether nobody was born since the call before; false where that is not known. */
    public boolean none() {
        int length = descriptor < 0 ? descriptor : kernel.read(descriptor, buffer);
        if (length <= 0) {
            return false;
        }
        int slash = 0;
        while (slash < length && buffer[slash] != '/') {
            slash++;
        }
        long nowThreads = ProcText.number(buffer, slash + 1, length, 0);
        long nowLastId = ProcText.number(buffer, 0, length, LAST_ID);
        boolean silent = nowThreads == threads && nowLastId == lastId && nowLastId > 0;
        threads = nowThreads;
        lastId = nowLastId;
        boolean believed = silent && wasSilent;
        wasSilent = silent;
        return believed;
    }

    /** A new process was missed: from now on nothing is known. */
    public void distrust() {
        close();
    }

    /** Closes the file. */
    public void close() {
        if (descriptor >= 0) {
            kernel.close(descriptor);
        }
        descriptor = -1;
    }
}

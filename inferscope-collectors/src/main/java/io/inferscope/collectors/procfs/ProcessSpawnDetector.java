package io.inferscope.collectors.procfs;

import io.inferscope.collectors.os.OperatingSystem;

/**
 * Detects from one small file whether any process or thread started or ended, so that a search for new ones is rarely
 * needed. {@code /proc/loadavg} contains the machine's number of threads and the last id assigned (proc(5)): if neither
 * changed, there is no new thread.
 *
 * <p>A thread is counted a moment after its id was assigned, so "no change" is trusted only from the second reading on.
 * In some containers a daemon writes the file periodically: call {@link #distrust} when a process was missed.
 */
public final class ProcessSpawnDetector {
    private static final int LAST_ID = 4;
    private static final int BUFFER_BYTES = 128;

    private final OperatingSystem system;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int descriptor;
    private long threads = -1;
    private long lastId = -1;
    private boolean wasSilent;

    public ProcessSpawnDetector(OperatingSystem system) {
        this.system = system;
        descriptor = system.open("/proc/loadavg");
    }

    /** Returns whether no thread started since the previous call; false if unknown. */
    public boolean none() {
        int length = descriptor < 0 ? descriptor : system.read(descriptor, buffer);
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

    /** Notes that a new process was missed: the file is no longer used. */
    public void distrust() {
        close();
    }

    /** Closes the file. */
    public void close() {
        if (descriptor >= 0) {
            system.close(descriptor);
        }
        descriptor = -1;
    }
}

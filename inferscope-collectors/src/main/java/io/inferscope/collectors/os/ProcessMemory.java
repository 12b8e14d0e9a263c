package io.inferscope.collectors.os;

/** Reads the memory of other processes while they run. */
public interface ProcessMemory {
    /**
     * Reads all pending ranges of a batch. A range that is not mapped (any more) is left unread; the others are still
     * read.
     *
     * @return 0, or {@code -errno} when the process cannot be read at all: {@link OperatingSystem#NO_SUCH_PROCESS},
     *     {@link OperatingSystem#NOT_PERMITTED}
     */
    int read(int pid, MemoryBatch batch);
}

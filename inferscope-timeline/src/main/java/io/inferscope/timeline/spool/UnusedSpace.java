package io.inferscope.timeline.spool;

/**
 * The zeros that are passed over while a folder of spools is read. Recorders allocate more than they use, but a sparse
 * file can have any length and takes no space: nothing after more zeros than the limits is read.
 */
final class UnusedSpace {
    /** Most zeros in one file. */
    private static final long FILE_BYTES = 1L << 30;
    /**
     * Most zeros in all files together, each counted as often as it is passed over. 80 killed processes with the default
     * cap of 100 MB leave half as many.
     */
    private static final long FOLDER_BYTES = 16L << 30;
    /** Zeros between the records of any file, even if others have used up the limit of the folder. */
    static final long SMALL_BYTES = 1 << 20;

    private final long fileBytes;
    private long leftBytes;
    private long leftInFileBytes;

    UnusedSpace() {
        this(FILE_BYTES, FOLDER_BYTES);
    }

    UnusedSpace(long fileBytes, long folderBytes) {
        this.fileBytes = fileBytes;
        leftBytes = folderBytes;
    }

    /** Starts with another file. */
    void open() {
        leftInFileBytes = Math.max(SMALL_BYTES, Math.min(fileBytes, leftBytes));
    }

    void add(long bytes) {
        leftBytes -= bytes;
        leftInFileBytes -= bytes;
    }

    /** Returns whether the file has more zeros than are passed over. */
    boolean isExhausted() {
        return leftInFileBytes < 0;
    }
}

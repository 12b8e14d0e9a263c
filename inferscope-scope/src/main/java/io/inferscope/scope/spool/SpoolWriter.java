package io.inferscope.scope.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * Appends records to a spool in sealed blocks. Thread-safe. It never throws into the program: when the file cannot grow
 * or has reached its cap, records are dropped and counted in the file's header.
 *
 * <p>A block is written when it is full, by {@link #flush}, and every 200 ms by a daemon thread, so that
 * {@code kill -9} loses no more than that.
 */
public final class SpoolWriter implements AutoCloseable {
    /** Cap per file where the environment names none. */
    public static final long DEFAULT_MAX_BYTES = 104_857_600;

    private static final int BLOCK_BYTES = 64 * 1024;
    private static final long FLUSH_INTERVAL_MS = 200;
    private static final int MINOR_VERSION_WITHOUT_DEVICES = 1;

    private final SpoolFile file;
    private final int pid;
    private final long maxBytes;
    private final ByteBuffer block = ByteBuffer.allocate(
                    BLOCK_HEADER_BYTES + BLOCK_BYTES + RecordEncoder.MAX_RECORD_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    private final RecordEncoder encoder = new RecordEncoder(block);
    private final Thread flusher;

    /**
     * The flusher waits on this object and not on the writer, because a lock on which a thread has waited is more
     * expensive to take, and every {@link #write} takes the writer's lock.
     */
    private final Object flusherSleep = new Object();

    private long sizeBytes = FILE_HEADER_BYTES;
    private long sequence;
    private long recordsInBlock;
    private long written;
    private long dropped;
    private long droppedInHeader;
    private boolean full;
    private int flags;
    private boolean closed;

    private SpoolWriter(SpoolFile file, String source, int pid, long maxBytes, int minorVersion) throws IOException {
        this.file = file;
        this.pid = pid;
        this.maxBytes = maxBytes;
        block.position(BLOCK_HEADER_BYTES);
        byte[] header = header(source, minorVersion, Clocks.read());
        file.write(0, header, header.length);
        flusher = new Thread(this::flushRegularly, "inferscope-spool");
        flusher.setDaemon(true);
        flusher.start();
    }

    /**
     * Creates the spool {@code <pid>-<monotonic ns>-<source>.spool}, and the directory when it is missing.
     *
     * @param directory the spool directory
     * @param source the recorder, ASCII, up to 16 characters
     * @param pid the recorded process, 0 for several
     * @param maxBytes cap of the file
     * @throws IOException when the file cannot be created
     */
    public static SpoolWriter open(Path directory, String source, int pid, long maxBytes) throws IOException {
        return open(create(directory, source, pid), source, pid, maxBytes);
    }

    /** Creates a spool as {@link #open} does, to which {@link DeviceRecord}s may be written, too. */
    public static SpoolWriter openForDevices(Path directory, String source, int pid, long maxBytes) throws IOException {
        SpoolFile file = create(directory, source, pid);
        return open(file, source, pid, maxBytes, MINOR_VERSION);
    }

    private static SpoolFile create(Path directory, String source, int pid) throws IOException {
        Files.createDirectories(directory);
        return SpoolFile.create(directory.resolve(pid + "-" + System.nanoTime() + "-" + source + ".spool"));
    }

    static SpoolWriter open(SpoolFile file, String source, int pid, long maxBytes) throws IOException {
        return open(file, source, pid, maxBytes, MINOR_VERSION_WITHOUT_DEVICES);
    }

    private static SpoolWriter open(SpoolFile file, String source, int pid, long maxBytes, int minorVersion)
            throws IOException {
        SpoolWriter writer = new SpoolWriter(file, source, pid, maxBytes, minorVersion);
        writer.write(Clocks.read());
        return writer;
    }

    /** Returns the cap per file that {@code INFERSCOPE_SPOOL_MAX_BYTES} sets, {@link #DEFAULT_MAX_BYTES} without it. */
    public static long maxBytesFromEnvironment() {
        try {
            return Long.parseLong(System.getenv().getOrDefault("INFERSCOPE_SPOOL_MAX_BYTES", ""));
        } catch (NumberFormatException unset) {
            return DEFAULT_MAX_BYTES;
        }
    }

    /** Returns the recorded process, 0 for several. */
    public int pid() {
        return pid;
    }

    /** Appends a record; if there is no room, counts it as dropped. */
    public synchronized void write(SpoolRecord entry) {
        if (full || closed) {
            dropped++;
            return;
        }
        encoder.encode(entry);
        recordsInBlock++;
        if (block.position() >= BLOCK_BYTES) {
            writeBlock();
        }
    }

    /** Counts records that were lost before they could be written. */
    public synchronized void lost(long count) {
        dropped += count;
    }

    /** Writes the buffered records to the file. */
    public synchronized void flush() {
        if (!closed) {
            writeBlock();
            updateDropped();
        }
    }

    /** Returns how many records reached the file or the buffer. */
    public synchronized long written() {
        return written + recordsInBlock;
    }

    /** Returns how many records were dropped: because of the file's cap or a full disk. */
    public synchronized long dropped() {
        return dropped;
    }

    /** Writes the buffered records, marks the file as closed cleanly, and closes it. Later records are dropped. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        writeBlock();
        updateDropped();
        closed = true;
        synchronized (flusherSleep) {
            flusherSleep.notifyAll();
        }
        try (file) {
            file.write(FILE_HEADER_FLAGS, littleEndian(flags | FILE_HEADER_FLAG_CLOSED), 4);
        } catch (IOException unwritable) {
            // Nothing to do: the file is not marked as closed cleanly, and readers will report that.
        }
    }

    private void writeBlock() {
        int used = block.position() - BLOCK_HEADER_BYTES;
        if (used == 0) {
            return;
        }
        if (sizeBytes + block.position() > maxBytes) {
            full = true;
        } else {
            try {
                seal(used);
                file.write(sizeBytes, block.array(), block.position());
                sizeBytes += block.position();
                written += recordsInBlock;
                recordsInBlock = 0;
            } catch (IOException refused) {
                stop(refused);
            }
        }
        dropped += recordsInBlock;
        recordsInBlock = 0;
        Arrays.fill(block.array(), 0, block.position(), (byte) 0);
        block.position(BLOCK_HEADER_BYTES);
    }

    /**
     * Stops all writing after the first failure: trying a full disk again for each record would cost more than the
     * record.
     */
    private void stop(IOException refused) {
        full = true;
        flags = refused instanceof SpoolFile.DiskFull ? FILE_HEADER_FLAG_DISK_FULL : FILE_HEADER_FLAG_CANNOT_GROW;
    }

    private void seal(int used) {
        CRC32 crc = new CRC32();
        crc.update(block.array(), BLOCK_HEADER_BYTES, used);
        block.putInt(BLOCK_HEADER_MAGIC, BLOCK_MAGIC);
        block.putInt(BLOCK_HEADER_CAPACITY_BYTES, used);
        block.putInt(BLOCK_HEADER_USED_BYTES, used);
        block.putInt(BLOCK_HEADER_CRC, (int) crc.getValue());
        block.putLong(BLOCK_HEADER_SEQUENCE, sequence++);
        block.putLong(BLOCK_HEADER_FLAGS, BLOCK_HEADER_FLAG_SEALED);
    }

    private void updateDropped() {
        if (dropped == droppedInHeader) {
            return;
        }
        try {
            ByteBuffer count = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            file.write(FILE_HEADER_DROPPED, count.putLong(dropped).array(), 8);
            file.write(FILE_HEADER_FLAGS, littleEndian(flags), 4);
            droppedInHeader = dropped;
        } catch (IOException refused) {
            stop(refused);
        }
    }

    private void flushRegularly() {
        try {
            while (!closed) {
                synchronized (flusherSleep) {
                    flusherSleep.wait(FLUSH_INTERVAL_MS);
                }
                flush();
            }
        } catch (InterruptedException stopped) {
            flush();
        }
    }

    private byte[] header(String source, int minorVersion, SpoolRecord.Clock now) {
        ByteBuffer header = ByteBuffer.allocate(FILE_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(FILE_HEADER_MAGIC, FILE_MAGIC.getBytes(StandardCharsets.US_ASCII));
        header.putShort(FILE_HEADER_MAJOR, (short) MAJOR_VERSION);
        header.putShort(FILE_HEADER_MINOR, (short) minorVersion);
        header.putInt(FILE_HEADER_FIRST_BLOCK, FILE_HEADER_BYTES);
        header.putInt(FILE_HEADER_PID, pid);
        header.putLong(FILE_HEADER_OPENED_NS, now.monotonicNs());
        header.putLong(FILE_HEADER_OPENED_REALTIME_NS, now.realtimeNs());
        byte[] name = source.getBytes(StandardCharsets.US_ASCII);
        header.put(FILE_HEADER_SOURCE, name, 0, Math.min(name.length, FILE_HEADER_BYTES - FILE_HEADER_SOURCE));
        return header.array();
    }

    private static byte[] littleEndian(int value) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array();
    }
}

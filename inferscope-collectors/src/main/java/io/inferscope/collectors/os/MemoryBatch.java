package io.inferscope.collectors.os;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Ranges of another process' memory that are read in one system call, and their content. Reused: adding, reading and
 * accessing values allocate nothing. Not thread-safe.
 *
 * <pre>
 *   ranges   [address, length] [address, length] [address, length]      as struct iovec (uio.h)
 *   data     |  bytes  ........|  bytes  ........|  bytes  .......|     one after the other
 * </pre>
 */
public final class MemoryBatch {
    /** Returned by {@link #add} when there is no room left. */
    public static final int FULL = -1;

    static final int RANGE_BYTES = 16;
    private static final int DATA_BYTES = 4 << 20;
    private static final int MAX_RANGES = 8192;

    private final ByteBuffer data = direct(DATA_BYTES);
    private final ByteBuffer ranges = direct(MAX_RANGES * RANGE_BYTES);
    private final ByteBuffer local = direct(RANGE_BYTES);
    private final long dataAt = nativeAddress(data);
    private final long rangesAt = nativeAddress(ranges);
    private final long localAt = nativeAddress(local);
    private final int[] offsets = new int[MAX_RANGES];
    private final boolean[] read = new boolean[MAX_RANGES];
    private int count;
    private int done;
    private int used;

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Removes all ranges and their content. */
    public void clear() {
        count = 0;
        done = 0;
        used = 0;
    }

    /** Adds a range to be read next; returns its number, or {@link #FULL}. */
    public int add(long address, int length) {
        if (count == MAX_RANGES || length <= 0 || length > DATA_BYTES - used) {
            return FULL;
        }
        ranges.putLong(count * RANGE_BYTES, address).putLong(count * RANGE_BYTES + 8, length);
        offsets[count] = used;
        read[count] = false;
        used += length;
        return count++;
    }

    /** Returns whether a range was read whole. */
    public boolean isRead(int range) {
        return range >= 0 && range < done && read[range];
    }

    /** Returns where a range's bytes begin. */
    public int offset(int range) {
        return offsets[range];
    }

    /** Returns how many ranges were added. */
    public int count() {
        return count;
    }

    /** Returns the first range that has not been tried. */
    public int firstPending() {
        return done;
    }

    /** Returns a range's address in the other process. */
    public long address(int range) {
        return ranges.getLong(range * RANGE_BYTES);
    }

    /** Returns a range's length in bytes. */
    public int length(int range) {
        return (int) ranges.getLong(range * RANGE_BYTES + 8);
    }

    /** Marks the next pending range as tried. */
    public void settle(boolean wasRead) {
        read[done++] = wasRead;
    }

    /** Returns the buffer for the bytes, to be filled: little-endian, with positions from {@link #offset}. */
    public ByteBuffer data() {
        return data;
    }

    /** Returns the 8-byte integer at {@code offset}. */
    public long getLong(int offset) {
        return data.getLong(offset);
    }

    /** Returns the 4-byte integer at {@code offset}. */
    public int getInt(int offset) {
        return data.getInt(offset);
    }

    /** Returns the byte at {@code offset}, 0 to 255. */
    public int getByte(int offset) {
        return data.get(offset) & 0xff;
    }

    /** Returns the native address of the range table's entry {@code range}. */
    long rangeTable(int range) {
        return rangesAt + (long) range * RANGE_BYTES;
    }

    /** Returns the native address of a struct iovec that covers {@code length} bytes of data from {@code offset} on. */
    long localRange(int offset, long length) {
        local.putLong(0, dataAt + offset).putLong(8, length);
        return localAt;
    }

    /** Returns the native address of the data at {@code offset}. */
    long localData(int offset) {
        return dataAt + offset;
    }

    private static long nativeAddress(ByteBuffer buffer) {
        return Pointer.nativeValue(Native.getDirectBufferPointer(buffer));
    }
}

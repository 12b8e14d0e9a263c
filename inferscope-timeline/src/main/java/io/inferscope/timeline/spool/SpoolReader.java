package io.inferscope.timeline.spool;

import static io.inferscope.scope.spool.SpoolFormat.*;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.ImportException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/**
 * Reads the records of one spool by the rules in docs/spool-format.md. It terminates for any bytes: every step moves
 * forward, and the work for checksums is bounded by a multiple of the file's size.
 */
final class SpoolReader implements Closeable {
    private static final int CHECKSUM_PASSES = 4;

    private final SpoolBytes bytes;
    private final UnusedSpace unused;
    private final SpoolHeader header;
    private final long firstBlock;

    /** Opens a file, whose unused space is counted with that of the other files of its folder. */
    SpoolReader(Path file, UnusedSpace unused) throws IOException, ImportException {
        this.unused = unused;
        bytes = new SpoolBytes(file, unused);
        try {
            int index = bytes.at(0, FILE_HEADER_BYTES);
            if (index < 0 || !hasMagic(index)) {
                throw new ImportException(file.toString(), "is not a spool", "name a spool that inferscope wrote");
            }
            ByteBuffer head = bytes.buffer().slice(index, FILE_HEADER_BYTES).order(java.nio.ByteOrder.LITTLE_ENDIAN);
            int major = head.getShort(FILE_HEADER_MAJOR) & 0xffff;
            if (major > MAJOR_VERSION) {
                throw new ImportException(
                        file.toString(), "is a spool of version " + major, "use a newer inferscope to read it");
            }
            header = SpoolHeader.of(head);
            firstBlock = Math.max(FILE_HEADER_BYTES, head.getInt(FILE_HEADER_FIRST_BLOCK) & 0xffff_fff8L);
        } catch (ImportException | IOException e) {
            bytes.close();
            throw e;
        }
    }

    private boolean hasMagic(int index) {
        byte[] magic = new byte[SpoolHeader.MAGIC.length];
        bytes.buffer().get(index, magic);
        return Arrays.equals(magic, SpoolHeader.MAGIC);
    }

    SpoolHeader header() {
        return header;
    }

    /**
     * Passes every readable record to {@code sink} and counts damage and losses in {@code stats}. May be called again.
     */
    void forEach(Consumer<SpoolRecordView> sink, ImportStats.Builder stats) throws IOException {
        new Walk(sink, stats).run();
    }

    @Override
    public void close() throws IOException {
        bytes.close();
    }

    /** One pass over the blocks. */
    private final class Walk {
        private final Consumer<SpoolRecordView> sink;
        private final ImportStats.Builder stats;
        private final SpoolRecordView view = new SpoolRecordView(bytes.buffer());
        private long checksumBudget = CHECKSUM_PASSES * bytes.size();
        private boolean damaged;
        /** Whether the last search for a block saw nothing else: space that was allocated and not used. */
        private boolean onlyZeros;

        Walk(Consumer<SpoolRecordView> sink, ImportStats.Builder stats) {
            this.sink = sink;
            this.stats = stats;
        }

        void run() throws IOException {
            unused.open();
            stats.bytes(bytes.size());
            long position = firstBlock;
            while (position < bytes.size() && !unused.isExhausted()) {
                if (isBlock(position)) {
                    position = block(position);
                } else {
                    long next = nextBlock(position);
                    if (next < bytes.size() || !onlyZeros) {
                        stats.count(Reason.BAD_RECORD, position, (next - position) + " bytes between blocks");
                    }
                    position = next;
                }
            }
            if (unused.isExhausted()) {
                stats.count(Reason.TRUNCATED, position, "gigabytes of zeros; what follows them is not read");
            }
        }

        /** Reads the block at {@code start} and returns where to continue. */
        private long block(long start) throws IOException {
            ByteBuffer head = bytes.buffer();
            int index = bytes.at(start, BLOCK_HEADER_BYTES);
            long capacity = head.getInt(index + BLOCK_HEADER_CAPACITY_BYTES) & 0xffff_ffffL;
            long used = head.getInt(index + BLOCK_HEADER_USED_BYTES) & 0xffff_ffffL;
            int crc = head.getInt(index + BLOCK_HEADER_CRC);
            boolean sealed = (head.getLong(index + BLOCK_HEADER_FLAGS) & BLOCK_HEADER_FLAG_SEALED) != 0;
            long body = start + BLOCK_HEADER_BYTES;
            long end = Math.min(body + capacity, bytes.size());
            damaged = false;
            if (body + capacity > bytes.size()) {
                stats.count(Reason.TRUNCATED, start, (body + capacity - bytes.size()) + " bytes of a block missing");
                damaged = true;
            } else if (sealed && (used > capacity || crc != checksum(body, used))) {
                stats.count(Reason.BAD_CHECKSUM, start, "");
                damaged = true;
            } else if (sealed) {
                end = body + used;
            }
            long readTo = records(body, end);
            long nominal = align(body + capacity);
            if (damaged && !(nominal == bytes.size() || isBlock(nominal))) {
                return nextBlock(align(readTo)); // The capacity itself may be damaged.
            }
            return nominal;
        }

        /** Reads records in {@code [position, end)} and returns the end of the last good one. */
        private long records(long position, long end) throws IOException {
            long good = position;
            while (position + RECORD_HEADER_BYTES <= end) {
                int index = bytes.at(position, RECORD_HEADER_BYTES);
                if (index < 0) {
                    break;
                }
                if (bytes.buffer().getLong(index) == 0) {
                    position = wordAfterZeros(position, end);
                    if (unused.isExhausted()) {
                        break;
                    }
                    continue;
                }
                int length = bytes.buffer().getInt(index + RECORD_HEADER_LENGTH_BYTES);
                boolean sensible = length >= RECORD_HEADER_BYTES
                        && length % 8 == 0
                        && length <= end - position
                        && bytes.buffer().getShort(index + RECORD_HEADER_TYPE) != 0;
                index = sensible ? bytes.at(position, length) : -1;
                if (index < 0) {
                    stats.count(Reason.BAD_RECORD, position, (end - position) + " bytes to the end of the block");
                    damaged = true;
                    return good;
                }
                view.moveTo(index, length, position);
                stats.event();
                sink.accept(view);
                position += length;
                good = position;
            }
            return good;
        }

        private int checksum(long start, long length) throws IOException {
            checksumBudget -= length;
            if (checksumBudget < 0) {
                return 0;
            }
            CRC32 crc = new CRC32();
            for (long done = 0; done < length; ) {
                int step = (int) Math.min(SpoolBytes.WINDOW_BYTES, length - done);
                int index = bytes.at(start + done, step);
                if (index < 0) {
                    return 0;
                }
                crc.update(bytes.buffer().slice(index, step));
                bytes.afterZeros(start + done, start + done + step);
                if (unused.isExhausted()) {
                    return 0;
                }
                done += step;
            }
            return (int) crc.getValue();
        }

        private boolean isBlock(long position) throws IOException {
            int index = bytes.at(position, BLOCK_HEADER_BYTES);
            return index >= 0 && bytes.buffer().getInt(index + BLOCK_HEADER_MAGIC) == BLOCK_MAGIC;
        }

        private long nextBlock(long position) throws IOException {
            long at = position;
            onlyZeros = true;
            while (at + BLOCK_HEADER_BYTES <= bytes.size()) {
                int index = bytes.at(at, BLOCK_HEADER_BYTES);
                if (index >= 0 && bytes.buffer().getInt(index + BLOCK_HEADER_MAGIC) == BLOCK_MAGIC) {
                    return at;
                }
                boolean zero = index >= 0 && bytes.buffer().getLong(index) == 0;
                onlyZeros &= zero;
                at = zero ? wordAfterZeros(at, bytes.size()) : at + 8;
                if (unused.isExhausted()) {
                    return at;
                }
            }
            onlyZeros &= bytes.afterZeros(at, bytes.size()) == bytes.size();
            return bytes.size();
        }

        /** Returns the first word from a zero word on that is not zero. */
        private long wordAfterZeros(long word, long end) throws IOException {
            return word + Math.max(8, (bytes.afterZeros(word, end) - word) & ~7L);
        }
    }

    private static long align(long offset) {
        return (offset + 7) & ~7L;
    }
}

package io.inferscope.collectors.cupti;

import io.inferscope.collectors.os.OwnThread;
import io.inferscope.scope.spool.DeviceRecord.CallThread;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Maps CUPTI's thread ids to the kernel's. CUPTI identifies a thread by the low half of its pthread id, which is the
 * address of the C library's descriptor of the thread. The descriptor contains the kernel's id, at an offset found from
 * two threads with known ids; so no layout is assumed, and CUPTI's process-wide setting of thread ids is not changed.
 * Not thread-safe.
 */
final class ThreadIds implements AutoCloseable {
    private static final int SCANNED_BYTES = 4096;
    private static final int LESSONS_NEEDED = 2;
    private static final int MAX_REMEMBERED = 1 << 16;
    private static final long LOW_HALF = 0xffff_ffffL;

    private final RandomAccessFile memory;
    private final Set<Long> upperHalves = new LinkedHashSet<>();
    private final Map<Integer, Known> threads = new HashMap<>();
    private List<Integer> offsets = new ArrayList<>();
    private int lessons;
    private int round;

    /** A thread's pthread id, 0 if it was not found, and its kernel id, read in a round. */
    private record Known(long pthread, int tid, int round) {}

    ThreadIds() throws IOException {
        memory = new RandomAccessFile("/proc/self/mem", "r");
    }

    /** Learns from the calling thread. */
    void learn() throws IOException {
        OwnThread self = OwnThread.current();
        ByteBuffer record = read(self.pthread(), SCANNED_BYTES);
        List<Integer> kept = new ArrayList<>();
        for (int offset = 0; offset + 4 <= record.limit(); offset += 4) {
            if (record.getInt(offset) == self.tid() && (lessons == 0 || offsets.contains(offset))) {
                kept.add(offset);
            }
        }
        offsets = kept;
        lessons++;
        upperHalves.add(self.pthread() & ~LOW_HALF);
    }

    /** Starts a round in which every thread is read again when needed, because pthread ids are reused. */
    void nextRound() {
        round++;
    }

    /** Returns the thread with CUPTI's id. A thread that ended before it was read is unknown. */
    CallThread of(int pthreadLow) {
        Known known = threads.get(pthreadLow);
        if (known == null || known.round() != round) {
            known = look(pthreadLow, known);
            if (threads.size() < MAX_REMEMBERED || threads.containsKey(pthreadLow)) {
                threads.put(pthreadLow, known);
            }
        }
        return known.tid() != 0 ? new CallThread(known.tid(), true) : new CallThread(pthreadLow, false);
    }

    /** A thread that has ended keeps its id. */
    private Known look(int pthreadLow, @Nullable Known before) {
        if (before != null && before.pthread() != 0) {
            int tid = tidAt(before.pthread());
            return new Known(before.pthread(), tid != 0 ? tid : before.tid(), round);
        }
        long low = pthreadLow & LOW_HALF;
        for (long upper : upperHalves) {
            int tid = tidAt(upper | low);
            if (tid != 0) {
                return new Known(upper | low, tid, round);
            }
        }
        return search(low);
    }

    /** Tries every mapping that contains an address with this lower half. */
    private Known search(long low) {
        for (String line : mappings()) {
            int dash = line.indexOf('-');
            int space = line.indexOf(' ');
            long from = Long.parseUnsignedLong(line, 0, dash, 16);
            long to = Long.parseUnsignedLong(line, dash + 1, space, 16);
            long candidate = (from & ~LOW_HALF) | low;
            candidate += Long.compareUnsigned(candidate, from) < 0 ? LOW_HALF + 1 : 0;
            int tid = Long.compareUnsigned(candidate, to) < 0 ? tidAt(candidate) : 0;
            if (tid != 0) {
                upperHalves.add(candidate & ~LOW_HALF);
                return new Known(candidate, tid, round);
            }
        }
        return new Known(0, 0, round);
    }

    private static List<String> mappings() {
        try {
            return Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1);
        } catch (IOException unreadable) {
            return List.of();
        }
    }

    /** Returns the kernel id of the thread whose pthread id this would be, 0 when there is no such thread. */
    private int tidAt(long pthread) {
        if (lessons < LESSONS_NEEDED || offsets.isEmpty()) {
            return 0;
        }
        try {
            ByteBuffer word = read(pthread + offsets.get(0), 4);
            int tid = word.limit() == 4 ? word.getInt(0) : 0;
            return tid > 0 && Files.exists(Path.of("/proc/self/task/" + tid)) ? tid : 0;
        } catch (IOException notMapped) {
            return 0;
        }
    }

    private ByteBuffer read(long address, int length) throws IOException {
        if (address < 0) { // No address of a program: the kernel's half.
            throw new IOException("not an address");
        }
        byte[] bytes = new byte[length];
        memory.seek(address);
        int got = memory.read(bytes);
        return ByteBuffer.wrap(bytes, 0, Math.max(0, got)).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() {
        try {
            memory.close();
        } catch (IOException harmless) {
            // Nothing was written.
        }
    }
}

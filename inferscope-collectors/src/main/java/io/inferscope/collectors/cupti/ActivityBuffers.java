package io.inferscope.collectors.cupti;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cupti.CUpti_BuffersCallbackCompleteFunc;
import org.bytedeco.cuda.cupti.CUpti_BuffersCallbackRequestFunc;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that CUPTI fills. CUPTI requests and returns them on threads of the program, where they are only taken
 * from a pool and put into a queue. Their memory is from malloc, because CUPTI may keep buffers after the recording.
 */
final class ActivityBuffers {
    /** Small, because from CUDA 13 on each thread of the program fills its own buffer. */
    private static final long BUFFER_BYTES = 512 << 10;

    /** 512 MiB in total, enough for the records during the longest delay of their return. */
    private static final int MAX_BUFFERS = 1024;

    private static final long DISCARD_BYTES = 64 << 10;
    private static final long LARGEST_RECORD_BYTES = 256;

    /**
     * Buffer for records that are discarded; threads overwrite each other there. Needed because libcupti of CUDA before
     * 12.9 writes to the given buffer even if it is NULL. Never freed.
     */
    private final BytePointer discard = new BytePointer(Pointer.malloc(DISCARD_BYTES));

    private final Queue<Full> full = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<BytePointer> spare = new ArrayDeque<>();
    private final Map<Long, BytePointer> lent = new HashMap<>();
    private final CUpti_BuffersCallbackRequestFunc request = new Request();
    private final CUpti_BuffersCallbackCompleteFunc complete = new Complete();
    private volatile @Nullable Runnable onFull;
    private long discarded;

    /**
     * A returned buffer.
     *
     * @param memory the buffer
     * @param validBytes number of bytes with records
     * @param dropped records that CUPTI had no buffer for
     */
    record Full(BytePointer memory, long validBytes, long dropped) {}

    CUpti_BuffersCallbackRequestFunc request() {
        return request;
    }

    CUpti_BuffersCallbackCompleteFunc complete() {
        return complete;
    }

    /** Provides buffers from now on, and calls {@code onFull} for each returned one. */
    void open(Runnable onFull) {
        this.onFull = onFull;
    }

    /** Stops providing buffers and frees the pool; buffers returned later are freed then. */
    synchronized void close() {
        onFull = null;
        for (Full late = full.poll(); late != null; late = full.poll()) {
            Pointer.free(late.memory());
        }
        spare.forEach(Pointer::free);
        spare.clear();
    }

    /** Returns the next returned buffer, null for none. */
    @Nullable
    Full next() {
        return full.poll();
    }

    /** Returns how many records, at least, had no buffer since the last call. */
    synchronized long takeDiscarded() {
        long count = discarded;
        discarded = 0;
        return count;
    }

    /** Takes a buffer back that was decoded. */
    synchronized void giveBack(BytePointer memory) {
        spare.push(memory);
    }

    private synchronized @Nullable BytePointer take() {
        if (onFull == null) {
            return null;
        }
        BytePointer memory = spare.poll();
        if (memory == null && lent.size() + full.size() < MAX_BUFFERS) {
            Pointer allocated = Pointer.malloc(BUFFER_BYTES);
            memory = allocated == null || allocated.isNull() ? null : new BytePointer(allocated);
        }
        if (memory != null) {
            lent.put(memory.address(), memory);
        }
        return memory;
    }

    private synchronized void came(long address, long validBytes, long dropped) {
        Runnable told = onFull;
        if (address == discard.address() && told != null) {
            discarded += validBytes / LARGEST_RECORD_BYTES + (validBytes > 0 ? 1 : 0);
        }
        BytePointer memory = lent.remove(address);
        if (memory == null) {
            return;
        }
        if (told == null) {
            Pointer.free(memory);
        } else {
            full.add(new Full(memory, Math.min(validBytes, BUFFER_BYTES), dropped));
            told.run();
        }
    }

    /** CUPTI's callback to request a buffer. It must not throw. */
    private final class Request extends CUpti_BuffersCallbackRequestFunc {
        @Override
        @SuppressWarnings("rawtypes") // As the presets declare it.
        public void call(PointerPointer buffer, SizeTPointer sizeBytes, SizeTPointer maxRecords) {
            BytePointer memory = null;
            try {
                memory = take();
            } catch (RuntimeException | Error noMemory) {
                // The records go into the discard buffer.
            }
            buffer.put(0, memory == null ? discard : memory);
            sizeBytes.put(0, memory == null ? DISCARD_BYTES : BUFFER_BYTES);
            maxRecords.put(0, 0); // As many as fit.
        }
    }

    /** CUPTI hands a buffer back. */
    private final class Complete extends CUpti_BuffersCallbackCompleteFunc {
        @Override
        public void call(CUctx_st context, int stream, BytePointer buffer, long sizeBytes, long validBytes) {
            try {
                if (buffer != null) {
                    came(buffer.address(), validBytes, Cupti.dropped(context, stream));
                }
            } catch (RuntimeException | Error lost) {
                // The memory stays with the process.
            }
        }
    }
}

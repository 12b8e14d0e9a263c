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
 * The buffers that CUPTI fills. CUPTI asks for them, and hands them back, on threads of the program: there they are only taken from a pool and
 * put in a queue. Memory is the C library's, which CUPTI may keep after the recording.
 */
final class ActivityBuffers {
    /** From CUDA 13 on each thread of the program fills a buffer of its own, so they are small and many. */
    private static final long BUFFER_BYTES = 512 << 10;

    /** Holds what a program records in the longest delay of their return: 512 MiB. */
    private static final int MAX_BUFFERS = 1024;

    private static final long DISCARD_BYTES = 64 << 10;
    private static final long LARGEST_RECORD_BYTES = 256;

    /**
     * Where records go that will not be read; threads overwrite each other there. libcupti of CUDA before 12.9 writes to the buffer that it
     * is given even where that is NULL. Never freed.
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
     * A buffer that came back.
     *
     * @param memory what CUPTI wrote
     * @param validBytes how much of it holds records
     * @param dropped records that CUPTI had no buffer for
     */
    record Full(BytePointer memory, long validBytes, long dropped) {}

    CUpti_BuffersCallbackRequestFunc request() {
        return request;
    }

    CUpti_BuffersCallbackCompleteFunc complete() {
        return complete;
    }

    /** Hands buffers out from now on, and calls {@code onFull} when one came back. */
    void open(Runnable onFull) {
        this.onFull = onFull;
    }

    /** Hands none out any more; the pool is freed, buffers that come back later are freed when they come. */
    synchronized void close() {
        onFull = null;
        for (Full late = full.poll(); late != null; late = full.poll()) {
            Pointer.free(late.memory());
        }
        spare.forEach(Pointer::free);
        spare.clear();
    }

    /** Returns a buffer that came back, null when there is none. */
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

    /** CUPTI asks for a buffer. Nothing may be thrown into it. */
    private final class Request extends CUpti_BuffersCallbackRequestFunc {
        @Override
        @SuppressWarnings("rawtypes") // As the presets declare it.
        public void call(PointerPointer buffer, SizeTPointer sizeBytes, SizeTPointer maxRecords) {
            BytePointer memory = null;
            try {
                memory = take();
            } catch (RuntimeException | Error noMemory) {
                // Into the buffer for what is not kept.
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

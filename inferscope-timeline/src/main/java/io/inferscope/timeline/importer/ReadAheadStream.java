package io.inferscope.timeline.importer;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads another stream ahead on its own thread, by a few blocks at most, so that inflating and parsing run in parallel.
 * An exception of the other stream is thrown here after the bytes before it.
 */
final class ReadAheadStream extends BlockInputStream {
    private static final int BLOCKS = 4;
    private static final int BLOCK_BYTES = 256 << 10;
    private static final long LOOK_MS = 500;

    private final InputStream in;
    private final BlockingQueue<Block> free = new ArrayBlockingQueue<>(BLOCKS);
    private final BlockingQueue<Block> full = new ArrayBlockingQueue<>(BLOCKS);
    private final Thread thread;
    private @Nullable Block current;
    private int at;

    private static final class Block {
        private final byte[] bytes = new byte[BLOCK_BYTES];
        private int length;
        private @Nullable Throwable failure;
        private boolean last;
    }

    ReadAheadStream(InputStream in) {
        this.in = in;
        for (int i = 0; i < BLOCKS; i++) {
            free.add(new Block());
        }
        thread = new Thread(this::readAhead, "inferscope-inflate");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((lost, error) -> {}); // The reader says it.
        thread.start();
    }

    private void readAhead() {
        try {
            boolean last = false;
            while (!last) {
                Block block = free.take();
                fill(block);
                last = block.last;
                full.put(block);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void fill(Block block) {
        block.length = 0;
        try {
            while (block.length < BLOCK_BYTES && !block.last) {
                int read = in.read(block.bytes, block.length, BLOCK_BYTES - block.length);
                block.last = read < 0;
                block.length += Math.max(0, read);
            }
        } catch (IOException | RuntimeException | Error e) {
            block.failure = e;
            block.last = true;
        }
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        Block block = block();
        if (at == block.length) {
            if (block.failure instanceof IOException e) {
                throw e;
            }
            if (block.failure instanceof Error e) {
                throw e;
            }
            if (block.failure != null) {
                throw new IllegalStateException(block.failure);
            }
            return -1;
        }
        int count = Math.min(length, block.length - at);
        System.arraycopy(block.bytes, at, into, offset, count);
        at += count;
        return count;
    }

    /** Returns a block with bytes left, or the last one. */
    private Block block() throws IOException {
        try {
            Block block = current;
            while (block == null || (at == block.length && !block.last)) {
                if (block != null) {
                    free.put(block);
                }
                block = filled();
                at = 0;
            }
            current = block;
            return block;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while reading");
        }
    }

    /** Returns the next block. Without memory, the other thread may end before it can say so. */
    private Block filled() throws InterruptedException {
        Block block = full.poll(LOOK_MS, TimeUnit.MILLISECONDS);
        while (block == null) {
            boolean ended = !thread.isAlive();
            block = full.poll(ended ? 0 : LOOK_MS, TimeUnit.MILLISECONDS);
            if (ended && block == null) {
                throw new OutOfMemoryError("the thread that reads ahead ended without a result");
            }
        }
        return block;
    }

    /** Stops the thread and closes the other stream. */
    @Override
    public void close() throws IOException {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        in.close();
    }
}

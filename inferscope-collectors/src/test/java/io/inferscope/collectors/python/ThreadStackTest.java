package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.ProcessMemory;
import io.inferscope.scope.spool.SpoolWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the memory of a thread may look like while it moves: frames that ended stay there until others take their place. */
class ThreadStackTest {
    private static final long BASE = 0x10000;
    private static final long STATE = BASE;
    private static final long C_FRAME = BASE + 0x800;
    private static final int FRAME_BYTES = 128;
    private static final int EXECUTES = -1;
    private static final int OWNED_BY_THREAD = 0;
    private static final int OWNED_BY_C = 3;
    private static final int TID = 7;

    @TempDir
    Path folder;

    private final ByteBuffer memory = ByteBuffer.allocate(0x2000).order(ByteOrder.LITTLE_ENDIAN);
    private final ProcessMemory reader = this::read;
    private SpoolWriter writer;
    private RuntimeLayout layout;

    @BeforeEach
    void open() throws Exception {
        writer = SpoolWriter.open(folder, "host", 0, 1 << 20);
    }

    @AfterEach
    void close() throws Exception {
        writer.close();
    }

    private int read(int pid, MemoryBatch batch) {
        while (batch.firstPending() < batch.count()) {
            int range = batch.firstPending();
            long from = batch.address(range) - BASE;
            boolean isThere = from >= 0 && from + batch.length(range) <= memory.capacity();
            if (isThere) {
                batch.data().put(batch.offset(range), memory, (int) from, batch.length(range));
            }
            batch.settle(isThere);
        }
        return 0;
    }

    private static long frame(int number) {
        return BASE + 0x1000 + (long) number * FRAME_BYTES;
    }

    /** Writes a frame; the outermost is 0, and the caller of another is the one before. */
    private void frame(int number, int stackTop, int owner) {
        RuntimeLayout.Frame fields = layout.frame();
        int at = (int) (frame(number) - BASE);
        memory.putLong(at + fields.code(), 0x5000 + 8L * number);
        memory.putLong(at + fields.previous(), number == 0 ? 0 : frame(number - 1));
        memory.putInt(at + fields.instruction() + 8, stackTop);
        memory.put(at + fields.owner(), (byte) owner);
    }

    private ThreadStack walk(int innermost) {
        RuntimeLayout.ThreadState fields = layout.thread();
        memory.putLong((int) (STATE - BASE) + fields.id(), TID);
        boolean byCFrame = fields.cframeFrame() >= 0;
        memory.putLong((int) (STATE - BASE) + fields.frame(), byCFrame ? C_FRAME : frame(innermost));
        if (byCFrame) {
            memory.putLong((int) (C_FRAME - BASE) + fields.cframeFrame(), frame(innermost));
        }
        ThreadStack stack = new ThreadStack(layout, STATE, TID, TID, new StackAccount(writer, 1, TID));
        MemoryBatch batch = new MemoryBatch();
        stack.request(batch);
        assertThat(reader.read(1, batch)).isZero();
        assertThat(stack.walk(batch, reader, 1)).isTrue();
        return stack;
    }

    /** Returns whether a stack is whole, wherever it ends. */
    private static boolean isWhole(ThreadStack stack) {
        stack.isWhole();
        return !stack.torn && stack.isWhole();
    }

    private void use(int minor) throws UnreadableRuntime {
        layout = minor == 13 ? RuntimeLayoutsTest.freeThreaded(minor) : RuntimeLayouts.table(minor);
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 12, 13})
    void framesThatWaitForTheirCalleeAreAStack(int minor) throws Exception {
        use(minor);
        frame(0, 3, OWNED_BY_THREAD);
        frame(1, 3, OWNED_BY_THREAD);
        frame(2, EXECUTES, OWNED_BY_THREAD);
        ThreadStack stack = walk(2);
        assertThat(isWhole(stack)).isTrue();
        assertThat(stack.depth).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 12, 13})
    void whatAFrameThatExecutesSeemsToHaveCalledEnded(int minor) throws Exception {
        use(minor);
        frame(0, 3, OWNED_BY_THREAD);
        frame(1, EXECUTES, OWNED_BY_THREAD);
        frame(2, 3, OWNED_BY_THREAD);
        ThreadStack stack = walk(2);
        assertThat(isWhole(stack)).isFalse();
        assertThat(isWhole(walk(1))).isTrue();
        stack.believe();
        assertThat(stack.isWhole()).as("no read shows it otherwise").isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 12, 13})
    void aFrameCallsThroughCWhileItExecutes(int minor) throws Exception {
        use(minor);
        frame(0, EXECUTES, OWNED_BY_THREAD);
        frame(1, 0, minor == 11 ? OWNED_BY_THREAD : OWNED_BY_C);
        frame(2, EXECUTES, OWNED_BY_THREAD);
        int innermost = minor == 11 ? 1 : 2;
        memory.put((int) (frame(1) - BASE) + layout.frame().instruction() + 12, (byte) 1); // is_entry of 3.11
        ThreadStack stack = walk(innermost);
        assertThat(isWhole(stack)).isTrue();
        assertThat(stack.depth).isEqualTo(2);
    }
}

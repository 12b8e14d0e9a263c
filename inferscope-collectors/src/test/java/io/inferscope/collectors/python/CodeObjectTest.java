package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.ProcessMemory;
import io.inferscope.scope.spool.SpoolWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A code object of CPython 3.11 whose program goes on while it is read. */
class CodeObjectTest {
    private static final RuntimeLayout LAYOUT = RuntimeLayouts.table(11);
    private static final long TYPE = 0x7f00_0000_1000L;
    private static final PythonRuntime RUNTIME =
            new PythonRuntime(0, new PythonRuntime.Types(TYPE, 0, 0, 0, 0), LAYOUT, "3.11.7");
    private static final int CODE = 0x1000;
    private static final int FILE = 0x2000;
    private static final int FUNCTION = 0x3000;
    private static final int LINE_TABLE = 0x4000;
    private static final int TABLE = 0x4800;
    private static final int LETTERS = 48;
    private static final int LINE = 7;
    private static final int ASCII = 1 << 6 | 1 << 5 | 1 << 2; // of one byte each, behind the header

    @TempDir
    Path folder;

    private final Memory memory = new Memory();
    private SpoolWriter writer;

    /** All memory of a program, and what the program does once a piece of it has been read. */
    private static final class Memory implements ProcessMemory {
        private final ByteBuffer all = ByteBuffer.allocate(0x5000).order(ByteOrder.LITTLE_ENDIAN);
        private long readOf = -1;
        private long unreadable = -1;
        private Runnable next = () -> {};

        @Override
        public int read(int pid, MemoryBatch batch) {
            for (int range = batch.firstPending(); range < batch.count(); range = batch.firstPending()) {
                if (batch.address(range) == unreadable) {
                    batch.settle(false);
                    continue;
                }
                byte[] bytes = new byte[batch.length(range)];
                all.get((int) batch.address(range), bytes);
                batch.data().put(batch.offset(range), bytes);
                batch.settle(true);
                if (batch.address(range) == readOf) {
                    next.run();
                }
            }
            return 0;
        }

        void after(long read, Runnable what) {
            readOf = read;
            next = what;
        }

        void text(int at, String text) {
            all.putLong(at, 1).putLong(at + 16, text.length()).putInt(at + 32, ASCII);
            letters(at, text);
        }

        void letters(int at, String text) {
            all.put(at + LETTERS, text.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    @BeforeEach
    void makeACodeObject() throws Exception {
        RuntimeLayout.Code fields = LAYOUT.code();
        memory.all.putLong(CODE, 1).putLong(CODE + 8, TYPE);
        memory.all.putInt(CODE + fields.firstLine(), LINE);
        memory.all.putLong(CODE + fields.fileName(), FILE);
        memory.all.putLong(CODE + fields.qualifiedName(), FUNCTION);
        memory.all.putLong(CODE + fields.lineTable(), LINE_TABLE);
        memory.text(FILE, "/app/serve.py");
        memory.text(FUNCTION, "work");
        writer = SpoolWriter.open(folder, "host", 0, 1 << 20);
    }

    @AfterEach
    void close() throws Exception {
        writer.close();
    }

    @Test
    void itsFileAndFunctionAreRead() throws Exception {
        assertFrame("work", "/app/serve.py");
    }

    @Test
    void oneThatIsGivenBackBetweenTwoReadsIsNone() {
        memory.after(FUNCTION + LETTERS, () -> {
            memory.all.putLong(CODE, 0x7f00_0000_2000L); // The next free block.
            memory.letters(FILE, "other one");
        });

        assertThatThrownBy(this::read).isInstanceOf(UnreadableRuntime.class).hasMessageContaining("no code object");
    }

    @Test
    void oneInWhosePlaceAnotherIsMadeBetweenTwoReadsIsNone() {
        memory.after(
                FUNCTION + LETTERS, () -> memory.all.putInt(CODE + LAYOUT.code().firstLine(), LINE + 1));

        assertThatThrownBy(this::read).isInstanceOf(UnreadableRuntime.class).hasMessageContaining("while it was read");
    }

    @Test
    void aTextThatIsGivenBackIsNone() {
        memory.all.putLong(FILE, 0);

        assertThatThrownBy(this::read).isInstanceOf(UnreadableRuntime.class).hasMessageContaining("no text");
    }

    @Test
    void aTextThatHasOtherLettersThanItSaysIsNone() {
        memory.letters(FILE, "\u00ff\u0090ab");

        assertThatThrownBy(this::read).isInstanceOf(UnreadableRuntime.class).hasMessageContaining("no text");
    }

    @Test
    void aNameWithControlCharactersIsNotKnown() throws Exception {
        memory.letters(FILE, "\u0003\0\0");

        assertFrame("work", "<unknown>");
    }

    @Test
    void instructionsThatCouldNotBeReadAreReadAgain() throws Exception {
        int instruction = CODE + LAYOUT.code().bytecode();
        bytecode("9700" + "0200" + "6500" // RESUME, PUSH_NULL, LOAD_NAME
                + "a6000000" + "ab000000000000000000" + "5300"); // PRECALL, CALL, RETURN_VALUE
        CodeObject code = read();
        long call = instruction + 6L;

        memory.unreadable = instruction;
        assertThat(code.use(call, 0)).isEqualTo(Bytecode.NO_USE);
        memory.unreadable = -1;
        assertThat(code.use(call, 0)).isEqualTo(Bytecode.CALLED);
        assertThat(code.localsCount()).isEqualTo(4);
        assertThat(code.use(call - 2, 0)).isEqualTo(Bytecode.NO_USE);
    }

    @Test
    void instructionsThatCannotBeFollowedAreReadAgainASecondLater() throws Exception {
        int instruction = CODE + LAYOUT.code().bytecode();
        bytecode("9700" + "fe00" + "6500" + "a6000000" + "ab000000000000000000"
                + "5300"); // 0xfe is no instruction of 3.11.
        CodeObject code = read();

        assertThat(code.use(instruction + 6, 0)).isEqualTo(Bytecode.NO_USE);
        memory.all.put(instruction + 2, (byte) 2); // PUSH_NULL
        assertThat(code.use(instruction + 6, 999_999_999)).isEqualTo(Bytecode.NO_USE);
        assertThat(code.use(instruction + 6, 1_000_000_000)).isEqualTo(Bytecode.CALLED);
    }

    @Test
    void codeThatIsTooLongToBeFollowedIsReadOnce() throws Exception {
        bytecode("9700");
        memory.all.putLong(CODE + 16, (1 << 16) + 1);
        CodeObject code = read();
        int[] reads = {0};
        memory.after(CODE, () -> reads[0]++);

        for (int look = 0; look < 10; look++) {
            code.use(CODE + LAYOUT.code().bytecode(), 1_000_000_000L * look);
        }

        assertThat(reads[0]).isEqualTo(1);
    }

    /** Three instructions of a free-threaded 3.14, of which another thread executes a copy. */
    @Test
    void anInstructionInAThreadsCopyHasTheLineOfTheOriginal() throws Exception {
        RuntimeLayout layout = RuntimeLayoutsTest.freeThreaded(14);
        RuntimeLayout.Code fields = layout.code();
        memory.all.clear();
        for (int object : new int[] {CODE, FILE, FUNCTION, LINE_TABLE}) {
            memory.all.put(object, new byte[96]).putInt(object + 12, -1); // immortal
        }
        memory.all.putLong(CODE + layout.type(), TYPE).putInt(CODE + fields.firstLine(), LINE);
        memory.all.putLong(CODE + fields.fileName(), FILE).putLong(CODE + fields.qualifiedName(), FUNCTION);
        memory.all.putLong(CODE + fields.lineTable(), LINE_TABLE).putLong(CODE + fields.copies(), TABLE);
        for (int text : new int[] {FILE, FUNCTION}) {
            memory.all.putLong(text + 32, 1).putInt(text + 48, ASCII << 6).put(text + 56, (byte) 'f');
        }
        byte[] lines = HexFormat.of().parseHex("e800e800e80a"); // one unit each, on lines 7, 7 and 12
        memory.all.putLong(LINE_TABLE + 32, lines.length).put(LINE_TABLE + 48, lines);
        long original = (long) CODE + fields.bytecode();
        long copy = TABLE + 64;
        memory.all.putLong(TABLE, 3).putLong(TABLE + 8, original).putLong(TABLE + 16, 0);
        memory.all.putLong(TABLE + 24, copy);
        PythonRuntime runtime = new PythonRuntime(0, RUNTIME.types(), layout, "3.14.3");
        CodeObject code = CodeObject.read(new RemoteReader(memory), 1, runtime, new SourceFolder(""), CODE);
        StackTable stacks = new StackTable(writer);
        int last = 2;

        assertThat(code.frame(original + 2 * last, stacks)).isEqualTo(stacks.frame("f", "f", LINE + 5));
        assertThat(code.frame(copy + 2 * last, stacks)).isEqualTo(code.frame(original + 2 * last, stacks));
        assertThat(code.frame(copy, stacks)).isEqualTo(stacks.frame("f", "f", LINE));
        assertThat(code.frame(copy + 2 * last + 2, stacks)).isZero();

        memory.all.putInt(CODE + 12, 0); // Both counts are 0 once it is freed.
        assertThatThrownBy(() -> CodeObject.read(new RemoteReader(memory), 1, runtime, new SourceFolder(""), CODE))
                .hasMessageContaining("no code object");
    }

    private void bytecode(String units) {
        byte[] bytecode = HexFormat.of().parseHex(units);
        memory.all.putLong(CODE + 16, bytecode.length / 2);
        memory.all.putInt(CODE + LAYOUT.stackSize(), 2);
        memory.all.putInt(CODE + LAYOUT.localsCount(), 4);
        memory.all.putLong(CODE + LAYOUT.exceptionTable(), TABLE);
        memory.all.put(CODE + LAYOUT.code().bytecode(), bytecode);
    }

    private CodeObject read() throws UnreadableRuntime {
        return CodeObject.read(new RemoteReader(memory), 1, RUNTIME, new SourceFolder(""), CODE);
    }

    private void assertFrame(String function, String file) throws UnreadableRuntime {
        StackTable stacks = new StackTable(writer);
        long notBegun = (long) CODE + LAYOUT.code().bytecode() - 2;

        assertThat(read().frame(notBegun, stacks)).isEqualTo(stacks.frame(function, file, LINE));
    }
}

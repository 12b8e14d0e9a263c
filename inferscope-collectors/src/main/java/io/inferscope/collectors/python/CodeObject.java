package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A code object: its function, its file, and the frame of each of its lines. Its memory may be reused by another code
 * object, which {@link #isStill} checks.
 */
final class CodeObject {
    private static final int NO_FRAME = 0;
    private static final String UNKNOWN = "<unknown>";
    private static final int MAX_HANDLER_BYTES = 1 << 16;

    /**
     * Invalid instructions are read again after this time: an active debugger's line events replace some instructions.
     */
    private static final long PATIENCE_NS = 1_000_000_000L;

    /** Most calls kept, because objects created for each call never repeat. */
    private static final int MOST_CALLS = 1_000;

    /** With its cache. */
    private static final int PRECALL_BYTES = 4;

    /** Name and file of _Py_InitCleanup, through which CPython calls a class's initializer (specialize.c). */
    private static final String NO_SOURCE = "__init__";

    private static final short[] NO_USES = new short[0];
    private static final long[] NO_COPIES = new long[0];

    /** Most copies looked at: one per thread that runs at the same time. */
    private static final int MOST_COPIES = 4096;

    final long address;

    /** False for code of the interpreter itself, whose frames Python does not show either. */
    final boolean hasSource;

    /** When it was first seen, CLOCK_MONOTONIC ns. */
    long knownNs;

    /** When it was last verified, CLOCK_MONOTONIC ns. */
    long verifiedNs;

    /** The range of the round's batch that will verify it, -1 for none. */
    int range = -1;

    private final RemoteReader reader;
    private final int pid;
    private final RuntimeLayout layout;
    private final String function;
    private final String file;
    private final int[] lines;
    private final int[] columns;
    private final int[] frames;

    /** The use of each instruction. Null until known, empty if never known. */
    private short @Nullable [] uses;

    /** Addresses of the copies of the instructions that other threads execute. */
    private long[] copies = NO_COPIES;

    /** When the instructions are read again, CLOCK_MONOTONIC ns. */
    private long readAgainNs = Long.MIN_VALUE;

    private int localsCount;
    private final Map<CalledFunctions.Site, CalledFunctions.Called> calls = new HashMap<>();

    /** By the address of the instruction. */
    private final Map<Long, CalledFunctions.Called> callsAt = new HashMap<>();

    private final int firstLine;
    private final long fileNameObject;
    private final long nameObject;
    private final long lineTableObject;

    private CodeObject(
            RemoteReader reader,
            int pid,
            long address,
            RuntimeLayout layout,
            Fields fields,
            String function,
            String file,
            LineTables table) {
        this.reader = reader;
        this.pid = pid;
        this.address = address;
        this.layout = layout;
        this.function = function;
        this.file = file;
        hasSource = !function.equals(NO_SOURCE) || !file.equals(NO_SOURCE);
        lines = table.lines();
        columns = table.columns();
        frames = new int[lines.length];
        firstLine = fields.firstLine();
        fileNameObject = fields.fileName();
        nameObject = fields.name();
        lineTableObject = fields.lineTable();
    }

    /** Stores the code that one of its instructions runs when it calls an object, and returns it. */
    CalledFunctions.Called calls(CalledFunctions.Site site, CalledFunctions.Called called) {
        if (calls.size() >= MOST_CALLS) {
            calls.clear();
            callsAt.clear();
        }
        calls.merge(site, called, CalledFunctions.Called::and);
        callsAt.merge(site.instruction(), called, CalledFunctions.Called::and);
        return called;
    }

    /**
     * Returns the code that one of its instructions ran at earlier calls of the object, provided that all were equal.
     */
    CalledFunctions.Called calledBefore(CalledFunctions.Site site) {
        return calls.getOrDefault(site, CalledFunctions.Called.UNKNOWN);
    }

    /**
     * Returns the code that an instruction has called, provided that it was always the same. In 3.11 PRECALL may have
     * made the call of a CALL.
     */
    CalledFunctions.Called calledAt(long instruction) {
        CalledFunctions.Called called = callsAt.get(instruction);
        if (called == null && layout.minor() == 11) {
            called = callsAt.get(instruction - PRECALL_BYTES);
        }
        return called == null ? CalledFunctions.Called.UNKNOWN : called;
    }

    /** Returns the instruction that is so many code units before another one, in the form stored in frames. */
    long before(long instruction, int units) {
        return instruction - (layout.minor() == 10 ? 1L : 2L) * units;
    }

    private record Fields(int firstLine, long fileName, long name, long lineTable) {
        /** Compares quickly: a record's own {@code equals} is linked at its first call, which takes milliseconds. */
        boolean areSame(Fields that) {
            return firstLine == that.firstLine
                    && fileName == that.fileName
                    && name == that.name
                    && lineTable == that.lineTable;
        }
    }

    /** Offset of the fields that identify a code object. */
    static int identityOffset(RuntimeLayout layout) {
        return layout.code().firstLine();
    }

    /** How many bytes they take. */
    static int identityBytes(RuntimeLayout layout) {
        return layout.code().lineTable() + 8 - identityOffset(layout);
    }

    private static Fields fields(RuntimeLayout layout, MemoryBatch batch, int offset) {
        RuntimeLayout.Code code = layout.code();
        int from = offset - identityOffset(layout);
        int name = code.qualifiedName() == RuntimeLayout.NONE ? code.name() : code.qualifiedName();
        return new Fields(
                batch.getInt(from + code.firstLine()),
                batch.getLong(from + code.fileName()),
                batch.getLong(from + name),
                batch.getLong(from + code.lineTable()));
    }

    /**
     * Reads a code object. The program runs during reading, so texts of a code object that is being freed may be
     * garbage.
     *
     * @throws UnreadableRuntime if there is no code object at that address, or it was freed during reading
     */
    static CodeObject read(RemoteReader reader, int pid, PythonRuntime runtime, SourceFolder folder, long address)
            throws UnreadableRuntime {
        RuntimeLayout layout = runtime.layout();
        Fields fields = live(reader, pid, runtime, address);
        String function = name(reader.text(pid, layout, fields.name()));
        String file = folder.shorten(name(reader.text(pid, layout, fields.fileName())));
        byte[] table = reader.bytes(pid, layout, fields.lineTable(), 1 << 20);
        if (!live(reader, pid, runtime, address).areSame(fields)) {
            throw new UnreadableRuntime(
                    "the code object at 0x" + Long.toHexString(address) + " ended while it was read");
        }
        LineTables lines = LineTables.decode(layout.minor(), table, fields.firstLine());
        return new CodeObject(reader, pid, address, layout, fields, function, file, lines);
    }

    /** Returns the fields of a code object that is in use. The objects that it refers to are then in use, too. */
    private static Fields live(RemoteReader reader, int pid, PythonRuntime runtime, long address)
            throws UnreadableRuntime {
        RuntimeLayout layout = runtime.layout();
        MemoryBatch batch = reader.read(pid, address, identityOffset(layout) + identityBytes(layout));
        long codeType = runtime.types().code();
        boolean isCode = codeType == 0 || batch.getLong(layout.type()) == codeType;
        if (!isCode || layout.isFree(batch)) {
            throw new UnreadableRuntime("no code object at 0x" + Long.toHexString(address));
        }
        return fields(layout, batch, identityOffset(layout));
    }

    /**
     * Returns a name; refuses texts with control characters, which are no name of a file or function but arbitrary
     * memory.
     */
    private static String name(String text) {
        return text.chars().anyMatch(Character::isISOControl) ? UNKNOWN : text;
    }

    /** Returns whether the fields read at {@code offset} are this code object's. */
    boolean isStill(MemoryBatch batch, int offset) {
        RuntimeLayout.Code code = layout.code();
        int from = offset - identityOffset(layout);
        int name = code.qualifiedName() == RuntimeLayout.NONE ? code.name() : code.qualifiedName();
        return batch.getInt(from + code.firstLine()) == firstLine
                && batch.getLong(from + code.fileName()) == fileNameObject
                && batch.getLong(from + name) == nameObject
                && batch.getLong(from + code.lineTable()) == lineTableObject;
    }

    /**
     * Returns the frame id of this function at an instruction in the form stored in frames; 0 for an invalid
     * instruction.
     */
    int frame(long instruction, StackTable stacks) {
        long unit = unit(instruction);
        if (unit < -1 || (unit >= lines.length && layout.minor() > 9)) {
            return NO_FRAME;
        }
        if (lines.length == 0) {
            return stacks.frame(function, file, firstLine);
        }
        int index =
                (int) Math.max(0, Math.min(unit, lines.length - 1L)); // 3.9's table ends where its last line begins.
        if (frames[index] == NO_FRAME) {
            boolean known = unit >= 0 && lines[index] > 0;
            frames[index] = stacks.frame(function, file, known ? lines[index] : firstLine);
        }
        return frames[index];
    }

    /** Returns the columns of an instruction's expression as {@link LineTables#columns} does, 0 if not known. */
    int columns(long instruction) {
        long unit = unit(instruction);
        return unit < 0 || unit >= columns.length ? 0 : columns[(int) unit];
    }

    /** Returns the use of an instruction, {@link Bytecode#NO_USE} for none or (as yet) unknown. */
    int use(long instruction, long nowNs) {
        long unit = unit(instruction);
        if (uses == null && nowNs >= readAgainNs) {
            uses = readUses(nowNs);
        }
        short[] known = uses;
        return known == null || unit < 0 || unit >= known.length ? Bytecode.NO_USE : known[(int) unit];
    }

    /** Returns how many variables a frame has below its value stack. Valid only after a use was returned. */
    int localsCount() {
        return localsCount;
    }

    /** Returns null if the instructions could not be read or are invalid: they are read again, at once or later. */
    private short @Nullable [] readUses(long nowNs) {
        RuntimeLayout.Code code = layout.code();
        Bytecode bytecode = Bytecode.of(layout.minor());
        if (bytecode == null) {
            return NO_USES;
        }
        try {
            boolean old = !layout.hasInstructionPointer();
            int headBytes = Math.max(code.bytecode(), identityOffset(layout) + identityBytes(layout));
            MemoryBatch head = reader.read(pid, address, headBytes);
            long units = old ? 1 : head.getLong(layout.size()); // instructions
            int stackSize = head.getInt(layout.stackSize());
            int locals = head.getInt(layout.localsCount());
            long held = head.getLong(old ? code.bytecode() : layout.exceptionTable());
            long[] cells = old ? cells(head) : NO_COPIES;
            if (!isStill(head, identityOffset(layout))) {
                return null;
            }
            if (units <= 0 || units > Bytecode.MAX_UNITS || locals < 0) {
                return NO_USES;
            }
            byte[] table = reader.bytes(pid, layout, held, old ? 2 * Bytecode.MAX_UNITS : MAX_HANDLER_BYTES);
            byte[] instructions = old ? table : reader.memory(pid, address + code.bytecode(), 2 * (int) units);
            for (long tuple : cells) {
                locals += (int) reader.getLong(pid, tuple + layout.size());
            }
            if (!isStill(reader.read(pid, address, headBytes), identityOffset(layout))) {
                return null;
            }
            localsCount = locals;
            short[] found = bytecode.uses(instructions, old ? new byte[0] : table, stackSize);
            readAgainNs = found == null ? nowNs + PATIENCE_NS : readAgainNs;
            return found;
        } catch (UnreadableRuntime gone) {
            return null;
        }
    }

    private static long[] cells(MemoryBatch head) {
        return Arrays.stream(RuntimeLayout.cells()).mapToLong(head::getLong).toArray();
    }

    private long unit(long instruction) {
        if (layout.hasInstructionPointer()) {
            long first = address + layout.code().bytecode();
            return (instruction - begin(instruction, first)) >> 1; // -1 in a frame that has not begun
        }
        int index = (int) instruction;
        return layout.minor() == 9 ? index >> 1 : index; // 3.9 counts bytes, 3.10 instructions; -1 before the first
    }

    /**
     * Returns the address of the first of the instructions that contain {@code instruction}: those of the code object,
     * or in a free-threaded build a thread's copy of them.
     */
    private long begin(long instruction, long first) {
        if (layout.code().copies() == RuntimeLayout.NONE || isIn(first, instruction)) {
            return first;
        }
        long copy = copyWith(instruction);
        if (copy == 0) {
            copies = readCopies();
            copy = copyWith(instruction);
        }
        return copy == 0 ? first : copy;
    }

    private long copyWith(long instruction) {
        for (long copy : copies) {
            if (isIn(copy, instruction)) {
                return copy;
            }
        }
        return 0;
    }

    private boolean isIn(long begin, long instruction) {
        return instruction >= begin - 2 && instruction < begin + 2L * lines.length;
    }

    /** Reads _PyCodeArray, Include/cpython/code.h: a count and as many addresses, some of them 0. */
    private long[] readCopies() {
        try {
            long array = reader.getLong(pid, address + layout.code().copies());
            long count = array == 0 ? 0 : Math.min(reader.getLong(pid, array), MOST_COPIES);
            long[] found = new long[(int) Math.max(0, count)];
            MemoryBatch entries = found.length == 0 ? null : reader.read(pid, array + 8, 8 * found.length);
            for (int i = 0; entries != null && i < found.length; i++) {
                found[i] = entries.getLong(8 * i);
            }
            return found;
        } catch (UnreadableRuntime gone) {
            return NO_COPIES;
        }
    }
}

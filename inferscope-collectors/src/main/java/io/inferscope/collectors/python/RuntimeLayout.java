package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;

/**
 * Byte offsets of the fields needed to read stacks, in one minor version of CPython; {@link #NONE} for a field that
 * this version does not have. For 64-bit builds without Py_DEBUG and Py_TRACE_REFS.
 *
 * @param minor 11 for CPython 3.11
 * @param interpretersHead in {@code _PyRuntime}: the first interpreter
 * @param runtimeGil in {@code _PyRuntime}: the GIL itself, up to 3.11
 * @param interpreter fields of PyInterpreterState
 * @param thread fields of PyThreadState
 * @param frame fields of PyFrameObject (up to 3.10) or _PyInterpreterFrame
 * @param code fields of PyCodeObject
 * @param asciiBytes size of PyASCIIObject, after which the characters of an ASCII text follow
 * @param freeThreaded whether it is a build without the GIL (Py_GIL_DISABLED)
 */
record RuntimeLayout(
        int minor,
        int interpretersHead,
        int runtimeGil,
        Interpreter interpreter,
        ThreadState thread,
        Frame frame,
        Code code,
        int asciiBytes,
        boolean freeThreaded) {
    static final int NONE = -1;

    /** Field of a free-threaded build's GIL: not 0 while it is in use, as with modules that need it. */
    private static final int GIL_ENABLED = 0;

    // Fields of the GIL, struct _gil_runtime_state of pycore_gil.h; 3.9 to 3.15 agree.
    private static final int GIL_HOLDER = 8;
    private static final int GIL_LOCKED = 16;
    private static final int GIL_LOCKS = 32;
    private static final int GIL_BYTES = 224; // On aarch64 each mutex and condition is 8 bytes longer.

    /** Bytes of the GIL that hold what {@link #holder} needs. */
    int gilBytes() {
        return shifted(GIL_LOCKED) + 4;
    }

    /** Returns the thread state that holds the GIL at {@code at} in a batch, 0 for none. */
    long holder(MemoryBatch batch, int at) {
        return batch.getInt(at + shifted(GIL_LOCKED)) == 1 && usesGil(batch, at)
                ? batch.getLong(at + shifted(GIL_HOLDER))
                : 0;
    }

    /** Returns whether the GIL at {@code at} in a batch is in use. */
    boolean usesGil(MemoryBatch batch, int at) {
        return !freeThreaded || batch.getInt(at + GIL_ENABLED) != 0;
    }

    /** Returns whether an address lies among the mutexes and conditions of a GIL. */
    boolean isLockOfGil(long gil, long address) {
        return address >= gil + shifted(GIL_LOCKS) && address < gil + shifted(GIL_BYTES);
    }

    private int shifted(int offset) {
        return freeThreaded ? offset + 8 : offset; // behind GIL_ENABLED
    }

    /**
     * Returns the offset of a field of a Python object, given that in builds with a GIL. Objects of free-threaded
     * builds begin with a thread, a mutex and two reference counts in place of one (PyObject, Include/object.h).
     */
    int field(int offset) {
        return freeThreaded ? offset + 16 : offset;
    }

    /** Returns the offset of an object's type. */
    int type() {
        return field(8);
    }

    /** Returns the offset of the size of an object of variable size. */
    int size() {
        return field(16);
    }

    /**
     * Returns whether the object at the start of a batch has been freed: a free block contains the address of the next
     * one, or 0, in place of an object's reference count (Objects/obmalloc.c). The count has 32 bits; 3.14 keeps flags
     * in the upper 16 of its word. In free-threaded builds the address replaces the thread, and both counts are 0.
     */
    boolean isFree(MemoryBatch batch) {
        if (freeThreaded) {
            return batch.getInt(LOCAL_COUNT) == 0 && batch.getLong(SHARED_COUNT) >> SHARED_FLAG_BITS <= 0;
        }
        return batch.getInt(0) == 0 || (batch.getInt(4) & 0xffff) != 0;
    }

    // co_nlocals, co_freevars and co_cellvars: Include/cpython/code.h of 3.9 and 3.10
    private static final int OLD_LOCALS = 28;
    private static final int[] OLD_CELLS = {80, 88};

    // Behind a frame's instruction: pycore_frame.h of 3.11 to 3.13
    private static final int STACK_TOP = 8;
    private static final int IS_ENTRY = 12;

    private static final int LOCAL_COUNT = 12;
    private static final int SHARED_COUNT = 16;
    private static final int SHARED_FLAG_BITS = 2;

    /** Fields of PyInterpreterState; {@code gil} points to the GIL from 3.12 on. */
    record Interpreter(int next, int threadsHead, int gil) {}

    /**
     * Fields of PyThreadState.
     *
     * @param next the next thread state
     * @param threadId what pthread_self returned
     * @param nativeId kernel thread id, from 3.11 on
     * @param frame the innermost frame; in 3.11 and 3.12 the _PyCFrame that points to it
     * @param cframeFrame inside that _PyCFrame: the innermost frame
     * @param chunk the newest _PyStackChunk; the next field is the first free address in it
     */
    record ThreadState(int next, int threadId, int nativeId, int frame, int cframeFrame, int chunk) {
        /** Returns the field that identifies a thread. */
        int id() {
            return nativeId == NONE ? threadId : nativeId;
        }

        /** Bytes from the start that hold all these fields. */
        int bytes() {
            int last = Math.max(Math.max(threadId, nativeId), frame);
            return Math.max(last + 8, chunk == NONE ? 0 : chunk + 16);
        }
    }

    /**
     * Fields of a frame. A frame whose owner is {@code shimOwner} or more runs no Python. {@code locals} are its
     * variables, followed by its value stack.
     */
    record Frame(int previous, int code, int instruction, int owner, int shimOwner, int locals) {
        /** Bytes from the start that hold all these fields. */
        int bytes() {
            return Math.max(Math.max(previous, code), Math.max(instruction, owner)) + 8;
        }
    }

    /** Returns the instruction of a frame, given where that field is in a batch: an address or an index, as stored. */
    long instruction(MemoryBatch batch, int at) {
        return hasInstructionPointer() ? batch.getLong(at) : batch.getInt(at);
    }

    /**
     * Returns whether the frame at {@code at} in a batch may have called one in Python. A frame keeps the depth of its
     * value stack while it does, and -1 while it executes or calls C (stacktop of pycore_frame.h). From 3.14 on, the
     * code of a frame that returned is unset instead.
     */
    boolean mayHaveCalled(MemoryBatch batch, int at) {
        return minor < 11 || minor > 13 || batch.getInt(at + frame.instruction() + STACK_TOP) >= 0;
    }

    /** Returns whether C called the frame at {@code at} in a batch, in 3.11. Later versions have a shim below it. */
    boolean isCalledByC(MemoryBatch batch, int at) {
        return minor == 11 && batch.getByte(at + frame.instruction() + IS_ENTRY) != 0;
    }

    /**
     * Fields of PyCodeObject; {@code bytecode} are the instructions themselves, from 3.11 on; before, the object that
     * holds them. {@code copies} are those that other threads execute, in free-threaded builds from 3.14 on.
     */
    record Code(int firstLine, int fileName, int name, int qualifiedName, int lineTable, int bytecode, int copies) {
        Code(int firstLine, int fileName, int name, int qualifiedName, int lineTable, int bytecode) {
            this(firstLine, fileName, name, qualifiedName, lineTable, bytecode, NONE);
        }
    }

    /** Returns the offset, in a code object, of the value stack's largest depth. */
    int stackSize() {
        return code.firstLine() - (hasInstructionPointer() ? 4 : 8); // The flags are between them up to 3.10.
    }

    /**
     * Returns the offset, in a code object, of the number of variables below the value stack; up to 3.10 without the
     * {@link #cells}.
     */
    int localsCount() {
        return hasInstructionPointer() ? code.firstLine() + 4 : OLD_LOCALS;
    }

    /** Returns the offsets, in a code object, of tuples with a name for each variable that a cell holds, up to 3.10. */
    static int[] cells() {
        return OLD_CELLS.clone();
    }

    /** Returns the offset of a code object's exception table, from 3.11 on. */
    int exceptionTable() {
        return field(40);
    }

    /** Returns the lowest bit of a text's kind, in the word after its hash. */
    int kindBit() {
        return freeThreaded && minor >= 14 ? 8 : 2;
    }

    /** Returns whether frames hold the address of an instruction; before 3.11 they hold an index. */
    boolean hasInstructionPointer() {
        return minor >= 11;
    }
}

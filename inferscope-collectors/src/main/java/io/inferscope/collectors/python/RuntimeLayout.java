package io.inferscope.collectors.python;

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
 */
record RuntimeLayout(
        int minor,
        int interpretersHead,
        int runtimeGil,
        Interpreter interpreter,
        ThreadState thread,
        Frame frame,
        Code code,
        int asciiBytes) {
    static final int NONE = -1;

    /** Fields of the GIL, {@code struct _gil_runtime_state} of pycore_gil.h; 3.9 to 3.14 agree. */
    static final int GIL_HOLDER = 8;

    /** Field of the GIL: 1 while it is held. */
    static final int GIL_LOCKED = 16;

    /** See {@link #GIL_HOLDER}: the first mutex or condition. */
    static final int GIL_LOCKS = 32;

    /** End of the GIL's last mutex or condition; on aarch64 each is 8 bytes longer. */
    static final int GIL_BYTES = 224;

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
     * variables, followed by its value stack, from 3.11 on.
     */
    record Frame(int previous, int code, int instruction, int owner, int shimOwner, int locals) {
        /** Bytes from the start that hold all these fields. */
        int bytes() {
            return Math.max(Math.max(previous, code), Math.max(instruction, owner)) + 8;
        }
    }

    /** Fields of PyCodeObject; {@code bytecode} are the instructions themselves, from 3.11 on. */
    record Code(int firstLine, int fileName, int name, int qualifiedName, int lineTable, int bytecode) {
        /** Where the exception table is named, from 3.11 on. */
        static final int EXCEPTION_TABLE = 40;

        /** Returns the offset of the value stack's largest depth. */
        int stackSize() {
            return firstLine - 4;
        }

        /** Returns the offset of the number of variables below the value stack, from 3.11 on. */
        int localsCount() {
            return firstLine + 4;
        }
    }

    /** Returns whether frames hold the address of an instruction; before 3.11 they hold an index. */
    boolean hasInstructionPointer() {
        return minor >= 11;
    }
}

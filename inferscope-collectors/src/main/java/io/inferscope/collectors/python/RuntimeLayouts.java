package io.inferscope.collectors.python;

import static io.inferscope.collectors.python.RuntimeLayout.NONE;

import io.inferscope.collectors.python.RuntimeLayout.Code;
import io.inferscope.collectors.python.RuntimeLayout.Frame;
import io.inferscope.collectors.python.RuntimeLayout.Interpreter;
import io.inferscope.collectors.python.RuntimeLayout.ThreadState;

/**
 * Layouts of CPython 3.9 to 3.15. Up to 3.12 they are a table: {@code offsetof} over Include/internal/pycore_runtime.h,
 * pycore_interp.h, pycore_gil.h, pycore_frame.h, Include/cpython/pystate.h, code.h and frameobject.h of 3.9.6 and
 * 3.9.18, 3.10.8 and 3.10.13, 3.11.3 and 3.11.7, 3.12.1. From 3.13 on, {@code _PyRuntime} begins with {@code
 * _Py_DebugOffsets}, which contains them.
 */
final class RuntimeLayouts {
    /** Oldest and newest minor version that is read. */
    static final int OLDEST = 9;

    /** See {@link #OLDEST}. */
    static final int NEWEST = 15;

    /** Bytes of _Py_DebugOffsets that are read: all up to the text object, which 3.15 puts last. */
    static final int DEBUG_OFFSETS_BYTES = 93 * 8;

    /** "xdebugpy", little-endian (pycore_debug_offsets.h). */
    private static final long COOKIE = 0x7970_6775_6265_6478L;

    private static final int SHIM_OWNER =
            3; // FRAME_OWNED_BY_CSTACK (3.12, 3.13), FRAME_OWNED_BY_INTERPRETER (3.14, 3.15)
    private static final int NO_SHIMS = 256;

    private RuntimeLayouts() {}

    /** Returns the layout of a version that does not describe itself: 9 to 12. */
    static RuntimeLayout table(int minor) {
        return switch (minor) {
            case 9 -> old(9, 104, 360);
            case 10 -> old(10, 96, 352);
            case 11 ->
                new RuntimeLayout(
                        11,
                        40,
                        360,
                        new Interpreter(0, 16, NONE),
                        new ThreadState(8, 152, 160, 56, 8, 296),
                        new Frame(48, 32, 56, 69, NO_SHIMS, 72),
                        new Code(72, 112, 120, 128, 136, 184),
                        48,
                        false);
            case 12 ->
                new RuntimeLayout(
                        12,
                        40,
                        NONE,
                        new Interpreter(0, 72, 384),
                        new ThreadState(8, 136, 144, 56, 0, 232),
                        new Frame(8, 0, 56, 70, SHIM_OWNER, 72),
                        new Code(68, 112, 120, 128, 136, 192),
                        40,
                        false);
            default -> throw new IllegalArgumentException("no table for CPython 3." + minor);
        };
    }

    private static RuntimeLayout old(int minor, int lastInstruction, int locals) {
        return new RuntimeLayout(
                minor,
                32,
                352,
                new Interpreter(0, 8, NONE),
                new ThreadState(8, 176, NONE, 24, NONE, NONE),
                new Frame(24, 32, lastInstruction, NONE, NO_SHIMS, locals),
                new Code(40, 104, 112, NONE, 120, 48),
                48,
                false);
    }

    /**
     * Returns the layout that {@code _PyRuntime} describes.
     *
     * @param words its first {@link #DEBUG_OFFSETS_BYTES} bytes as 8-byte integers
     * @throws UnreadableRuntime if they describe an unsupported layout
     */
    static RuntimeLayout described(int minor, long[] words) throws UnreadableRuntime {
        if (words[0] != COOKIE) {
            throw new UnreadableRuntime("its description of itself (_Py_DebugOffsets) is not there yet");
        }
        boolean freeThreaded = words[2] != 0;
        int more = minor == 13 ? 0 : 1; // 3.14 added interpreter_state.threads_main, ...
        int thread = minor == 13 ? 19 : 22; // ... code_object_generation and tlbc_generation, ...
        int ids = minor < 15 ? thread + 5 : thread + 8; // 3.15 added fields around the ids of a thread, ...
        int frame = minor < 15 ? thread + 9 : thread + 17;
        int code = minor == 13 ? frame + 6 : frame + 8; // ... 3.14 two fields of the frame.
        int text = switch (minor) {
            case 13 -> 67;
            case 14 -> 77;
            default -> 89;
        };
        return new RuntimeLayout(
                minor,
                offset(words, 5),
                NONE,
                new Interpreter(offset(words, 8), offset(words, 9), offset(words, 14 + more)),
                new ThreadState(
                        offset(words, thread + 2),
                        offset(words, ids),
                        offset(words, ids + 1),
                        offset(words, thread + 4),
                        NONE,
                        offset(words, ids + 2)),
                new Frame(
                        offset(words, frame + 1),
                        offset(words, frame + 2),
                        offset(words, frame + 3),
                        offset(words, frame + 5),
                        SHIM_OWNER,
                        offset(words, frame + 4)),
                new Code(
                        offset(words, code + 5),
                        offset(words, code + 1),
                        offset(words, code + 2),
                        offset(words, code + 3),
                        offset(words, code + 4),
                        offset(words, code + 9),
                        freeThreaded && minor >= 14 ? offset(words, code + 10) : NONE),
                offset(words, text + 3),
                freeThreaded);
    }

    private static int offset(long[] words, int index) throws UnreadableRuntime {
        if (words[index] < 0 || words[index] > 1 << 20) {
            throw new UnreadableRuntime(
                    "its description of itself (_Py_DebugOffsets) holds the offset " + words[index]);
        }
        return (int) words[index];
    }
}

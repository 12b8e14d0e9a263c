package io.inferscope.timeline;

/** The kinds of rows. Declaration order is nesting order: a kind that encloses others comes before them. */
public enum RowKind {
    /** The window in which a profiler recorded; not activity of the program. */
    PROFILER_WINDOW,
    /** A whole process, from start to exit. */
    PROCESS,
    /** A request, from its arrival to the end of its answer. */
    REQUEST,
    /** A named range opened by the program, a library hook or a framework: scope, NVTX range, record_function. */
    ANNOTATION,
    /** A function of the host that a stream of a device ran in its order, on the thread that ran it. */
    HOST_FUNCTION,
    /** A Python function call. */
    PYTHON_FUNCTION,
    /** A framework operator, such as {@code aten::addmm}. */
    OPERATOR,
    /** A call of the CUDA or HIP runtime API. */
    RUNTIME_CALL,
    /** A call of the CUDA or HIP driver API. */
    DRIVER_CALL,
    /** A runtime or driver call that launches a captured graph. */
    GRAPH_LAUNCH,
    /** A garbage collection or safepoint pause. */
    GC,
    /** A named range as it appears on a stream. */
    DEVICE_ANNOTATION,
    /** A kernel. */
    KERNEL,
    /** A copy from host to device. */
    MEMCPY_H2D,
    /** A copy from device to host. */
    MEMCPY_D2H,
    /** A copy inside one device. */
    MEMCPY_D2D,
    /** A copy between devices. */
    MEMCPY_P2P,
    /** A copy whose direction is not recorded. */
    MEMCPY_OTHER,
    /** A memory fill. */
    MEMSET,
    /** A wait recorded on the device side: stream, event or device synchronisation. */
    DEVICE_SYNC,
    /** How long a thread was on a CPU, runnable and blocked during an interval. */
    THREAD_STATE,
    /** A stack sample. */
    STACK_SAMPLE,
    /** One side of a hand-over between threads: the moment of giving, or the wait of the taker up to its return. */
    HAND_OVER,
    /** A counter sample; zero duration. */
    COUNTER,
    /** A mark; zero duration. */
    INSTANT,
    /** Time the profiler itself spent. */
    PROFILER_OVERHEAD,
    /** An event whose category this version does not know; kept under its own name. */
    OTHER;

    /** Returns whether the row occupies a device: kernel, memcpy or memset. */
    public boolean isDeviceOperation() {
        return ordinal() >= KERNEL.ordinal() && ordinal() <= MEMSET.ordinal();
    }

    /** Returns whether rows of this kind lie on a stream rather than on a thread. */
    public boolean isOnStream() {
        return isDeviceOperation() || this == DEVICE_SYNC || this == DEVICE_ANNOTATION;
    }

    /** Returns whether the row is a copy of any direction. */
    public boolean isMemcpy() {
        return ordinal() >= MEMCPY_H2D.ordinal() && ordinal() <= MEMCPY_OTHER.ordinal();
    }

    /** Returns whether the row is a runtime or driver API call, graph launches included. */
    public boolean isApiCall() {
        return ordinal() >= RUNTIME_CALL.ordinal() && ordinal() <= GRAPH_LAUNCH.ordinal();
    }

    /** Returns whether the row shows what a host thread executed. */
    public boolean isHostActivity() {
        return ordinal() >= ANNOTATION.ordinal() && ordinal() <= GC.ordinal();
    }
}

package io.inferscope.analyzer.model;

/** The exclusive classes of time. */
public enum LedgerClass implements HasStableId {
    /** Kernels that are not communication. */
    GPU_COMPUTE("gpu.compute", Rollup.COMPUTE, "GPU compute"),
    /** Communication kernels under no compute. */
    GPU_COMMUNICATION("gpu.communication", Rollup.COMMUNICATION, "exposed communication"),
    /** The device waits for its own queue or for an event. */
    GPU_DEPENDENCY("gpu.dependency", Rollup.DEVICE_DEPENDENCY, "wait after launch"),
    /** Host-to-device copies under no kernel. */
    COPY_H2D("copy.h2d", Rollup.H2D_COPY, "exposed H2D copy"),
    /** Device-to-host copies under no kernel. */
    COPY_D2H("copy.d2h", Rollup.OTHER_COPIES, "exposed D2H copy"),
    /** Other copies and memory sets that nothing else hides. */
    COPY_OTHER("copy.other", Rollup.OTHER_COPIES, "other exposed copies"),
    /** The model itself on the CPU, in a program without device work. */
    CPU_MODEL_COMPUTE("cpu.model-compute", Rollup.COMPUTE, "model compute on CPU"),
    /** Text to tokens. */
    CPU_TOKENIZATION("cpu.tokenization", Rollup.CPU_PREPROCESSING, "tokenization"),
    /** Inputs made ready. */
    CPU_PREPROCESSING("cpu.preprocessing", Rollup.CPU_PREPROCESSING, "preprocessing"),
    /** Results made ready. */
    CPU_SERIALIZATION("cpu.serialization", Rollup.CPU_PREPROCESSING, "serialisation"),
    /**
     * Python code of the program itself that is none of the above. In recordings with native stacks, only time in the
     * interpreter.
     */
    CPU_PYTHON("cpu.python", Rollup.PYTHON, "Python"),
    /** Python code of installed packages that is none of the above and does not lead to the model. */
    LIBRARY_PYTHON("library.python", Rollup.PYTHON, "Python code of libraries"),
    /**
     * Code of the program that is neither Python nor any of the above, such as Java or C++ methods seen by a sampler.
     */
    CPU_CODE("cpu.code", Rollup.OTHER_CODE, "the program's own code"),
    /**
     * Native code of libraries that is none of the above: decoders, databases, extensions; in a program with device work,
     * also operators that compute on the CPU.
     */
    CPU_NATIVE("cpu.native", Rollup.OTHER_CODE, "native code of libraries"),
    /** The kernel maps pages that the thread touches for the first time. */
    SYSTEM_PAGE_FAULT("system.page-fault", Rollup.SYSTEM, "page faults, on a CPU"),
    /** The kernel reads, writes and opens files. */
    SYSTEM_FILE("system.file-io", Rollup.SYSTEM, "file I/O, on a CPU"),
    /** The kernel makes and ends processes. */
    SYSTEM_PROCESS("system.process", Rollup.SYSTEM, "making processes"),
    /** The kernel maps and unmaps memory. */
    SYSTEM_MEMORY("system.memory-map", Rollup.SYSTEM, "mapping memory"),
    /** The kernel sends and receives over sockets and pipes. */
    SYSTEM_NETWORK("system.network", Rollup.SYSTEM, "sockets and pipes, on a CPU"),
    /** Other work of the kernel for the thread. */
    SYSTEM_OTHER("system.other", Rollup.SYSTEM, "other work of the kernel"),
    /** Python code of packages that leads to the model: torch, and those known or seen to call the model. */
    FRAMEWORK_PYTHON("framework.python", Rollup.FRAMEWORK_OVERHEAD, "framework's own Python"),
    /** Framework operators on their way to a launch. */
    FRAMEWORK_DISPATCH("framework.dispatch", Rollup.FRAMEWORK_OVERHEAD, "operator dispatch"),
    /** Inside launch calls. */
    FRAMEWORK_LAUNCH("framework.launch", Rollup.FRAMEWORK_OVERHEAD, "kernel launch"),
    /** From the launch call's return to the kernel's start, up to the smallest latency seen. */
    FRAMEWORK_LAUNCH_LATENCY("framework.launch-latency", Rollup.FRAMEWORK_OVERHEAD, "launch latency"),
    FRAMEWORK_ALLOCATION("framework.allocation", Rollup.FRAMEWORK_OVERHEAD, "allocation"),
    /** Loading libraries, models and kernels; compiling. */
    FRAMEWORK_COMPILE_LOAD("framework.compile-load", Rollup.FRAMEWORK_OVERHEAD, "compile and load"),
    /** Inside a synchronising call while the device is idle. */
    FRAMEWORK_SYNC_RETURN("framework.sync-return", Rollup.FRAMEWORK_OVERHEAD, "synchronisation"),
    WAIT_GIL("wait.gil", Rollup.WAITING, "waiting for the GIL"),
    WAIT_LOCK("wait.lock", Rollup.WAITING, "waiting for a lock"),
    WAIT_IO("wait.io", Rollup.WAITING, "waiting for file I/O"),
    WAIT_SOCKET("wait.socket", Rollup.WAITING, "waiting for a socket"),
    WAIT_TIMER("wait.timer", Rollup.WAITING, "sleeping"),
    /** Runnable, but not running. */
    WAIT_RUN_QUEUE("wait.run-queue", Rollup.WAITING, "waiting for a CPU"),
    WAIT_PAGE_FAULT("wait.page-fault", Rollup.WAITING, "page faults"),
    WAIT_GC("wait.gc", Rollup.WAITING, "garbage collection"),
    WAIT_CHILD_PROCESS("wait.child-process", Rollup.WAITING, "waiting for a child process"),
    WAIT_UNKNOWN("wait.unknown", Rollup.WAITING, "waiting, cause unknown"),
    /** A signal such as SIGSTOP, or a debugger, stopped the thread. */
    WAIT_STOPPED("wait.stopped", Rollup.WAITING, "stopped by a signal"),
    /** A server's thread has nothing to do: nobody waits for it meanwhile. */
    WAIT_IDLE("wait.idle", Rollup.WAITING, "nothing to do"),
    PROFILER("profiler", Rollup.PROFILER, "profiler"),
    UNATTRIBUTED("unattributed", Rollup.UNATTRIBUTED, "unattributed"),
    /** Ranges of a recording that shows no code of their thread: in Python or not. */
    CPU_UNKNOWN("cpu.unknown", Rollup.OTHER_CODE, "host code that is not known");

    private final String id;
    private final Rollup rollup;
    private final String label;

    LedgerClass(String id, Rollup rollup, String label) {
        this.id = id;
        this.rollup = rollup;
        this.label = label;
    }

    @Override
    public String id() {
        return id;
    }

    /** Returns the line of the roll-up that the class belongs to. */
    public Rollup rollup() {
        return rollup;
    }

    /** Returns a few words for people. */
    public String label() {
        return label;
    }

    /** Returns whether the class is device work: compute, communication or a copy. */
    public boolean isDeviceBusy() {
        return this == GPU_COMPUTE || this == GPU_COMMUNICATION || isCopy();
    }

    /** Returns whether the class is an exposed copy. */
    public boolean isCopy() {
        return this == COPY_H2D || this == COPY_D2H || this == COPY_OTHER;
    }

    /** Returns whether the class is a wait of a host thread, for any reason. */
    public boolean isWaiting() {
        return rollup == Rollup.WAITING;
    }

    /** Returns whether the class is the framework's way to a kernel: dispatching, its own Python, launching. */
    public boolean isLaunching() {
        return this == FRAMEWORK_DISPATCH
                || this == FRAMEWORK_PYTHON
                || this == FRAMEWORK_LAUNCH
                || this == FRAMEWORK_LAUNCH_LATENCY;
    }

    /**
     * Returns whether the class is a host thread's work, or its wait for a CPU. Such classes make a program CPU-bound.
     */
    public boolean isHostWork() {
        return switch (this) {
            case WAIT_GIL, WAIT_LOCK, WAIT_RUN_QUEUE, WAIT_GC, WAIT_PAGE_FAULT -> true;
            case FRAMEWORK_LAUNCH_LATENCY -> false;
            default ->
                switch (rollup) {
                    case CPU_PREPROCESSING, PYTHON, OTHER_CODE, SYSTEM, FRAMEWORK_OVERHEAD -> true;
                    default -> false;
                };
        };
    }

    /** The lines of the breakdown for people. */
    public enum Rollup implements HasStableId {
        /** Tokenization, preprocessing and serialisation. */
        CPU_PREPROCESSING("CPU preprocessing"),
        /** Exposed host-to-device copies. */
        H2D_COPY("H2D copy"),
        /** Exposed device-to-host and other copies. */
        OTHER_COPIES("D2H and other copies"),
        /** GPU compute, or CPU model compute in a program without device work. */
        COMPUTE("GPU compute"),
        /** Exposed communication. */
        COMMUNICATION("Communication"),
        /** Dispatch, launch, allocation, compile, synchronisation return and the framework's own Python. */
        FRAMEWORK_OVERHEAD("Framework overhead"),
        /** Other Python. */
        PYTHON("Python"),
        /** Code of the program and its libraries that is not Python. */
        OTHER_CODE("Other code"),
        /** CPU time of the operating system's kernel for the program. */
        SYSTEM("Operating system"),
        /** Waiting of any sort. */
        WAITING("Waiting"),
        /** Device work waits for other device work. */
        DEVICE_DEPENDENCY("Wait after launch"),
        PROFILER("Profiler"),
        UNATTRIBUTED("Unattributed");

        private final String label;

        Rollup(String label) {
            this.label = label;
        }

        /**
         * Returns a few words for people; {@code COMPUTE} reads "CPU model compute" in a program without device work.
         */
        public String label(boolean deviceWork) {
            return this == COMPUTE && !deviceWork ? "CPU model compute" : label;
        }
    }
}

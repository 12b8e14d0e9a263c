package io.inferscope.analyzer.trust;

import java.util.Map;

/**
 * What to ask of the recorder that wrote a trace, so that the advice can be followed where the trace came from.
 *
 * @param again how to record the same again, whole
 * @param graphNodes what records the kernels of a graph one by one
 * @param hostCalls what records the host's calls that launch device work
 */
record Recorder(String again, String graphNodes, String hostCalls) {
    private static final String WHOLE = ", from before the first launch to after the last synchronisation";
    /** Options: User Guide of Nsight Systems, "CLI Profile Command Switch Options". */
    private static final String NSYS = "nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node";
    /** Option: documentation of rocprofv3, "Basic tracing". */
    private static final String ROCPROF = "rocprofv3 --runtime-trace";

    /** What records the device work of any program. */
    static final String SYSTEM_WIDE = NSYS + " (on AMD GPUs " + ROCPROF + ")";

    private static final Recorder TORCH = new Recorder(
            "record again with torch.profiler (ProfilerActivity.CUDA) or " + NSYS + WHOLE,
            "torch.profiler with CUPTI 12 or newer, or " + NSYS,
            "ProfilerActivity.CPU, " + NSYS + ", or " + ROCPROF);

    private static final Recorder NSIGHT = of(NSYS);
    private static final Recorder ROCM = of(ROCPROF);

    private static final Recorder ONNX_RUNTIME = new Recorder(
            "record the program with " + SYSTEM_WIDE + WHOLE + ": ONNX Runtime's profile holds no more",
            SYSTEM_WIDE,
            SYSTEM_WIDE);

    private static final Recorder TRTEXEC = new Recorder(
            "record with " + NSYS + " trtexec ...: trtexec's own files hold no more",
            NSYS + " trtexec ...",
            NSYS + " trtexec ...");

    private static final Recorder XLA = new Recorder(
            "record again with jax.profiler.trace or TensorFlow's profiler" + WHOLE,
            SYSTEM_WIDE,
            SYSTEM_WIDE + "; of a TPU no recording holds them");

    /** By name of the format; recordings of other formats, and several of different ones, are taken for PyTorch's. */
    private static final Map<String, Recorder> BY_FORMAT = Map.of(
            "nsys", NSIGHT,
            "rocprofv3", ROCM,
            "rocpd", ROCM,
            "onnxruntime", ONNX_RUNTIME,
            "trtexec", TRTEXEC,
            "xla", XLA);

    private static Recorder of(String command) {
        return new Recorder("record again with " + command + WHOLE, command, command);
    }

    /** Returns the recorder whose traces have a format. */
    static Recorder byFormat(String format) {
        return BY_FORMAT.getOrDefault(format, TORCH);
    }
}

package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.timeline.TimelineInfo;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How to record again with the recorder that wrote a trace: remedies name its own commands. Commands are between
 * backticks; COMMAND is the user's own.
 *
 * @param again how to record the same again completely
 * @param graphNodes how to record the kernels of a graph one by one
 * @param hostCalls how to record the host's launch calls
 */
record RecordingRemedy(String again, String graphNodes, String hostCalls) {
    private static final String WHOLE = ", from before the first launch to after the last synchronisation";
    /** Windows of PyTorch's profiler, in a run. */
    private static final String RUN = "`inferscope run --ops -- COMMAND`";
    /** Options: User Guide of Nsight Systems, "CLI Profile Command Switch Options". */
    private static final String NSYS = "`nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node COMMAND`";
    /** Option: documentation of rocprofv3, "Basic tracing". */
    private static final String ROCPROF = "`rocprofv3 --runtime-trace -- COMMAND`";

    /** How to record the device work of any program. */
    static final String SYSTEM_WIDE = NSYS + " (on AMD GPUs " + ROCPROF + ")";

    private static final RecordingRemedy TORCH = torch(NSYS);
    private static final RecordingRemedy TORCH_ON_AMD = torch(ROCPROF);
    private static final RecordingRemedy NSIGHT = of(NSYS);
    private static final RecordingRemedy ROCM = of(ROCPROF);

    private static final RecordingRemedy ONNX_RUNTIME = new RecordingRemedy(
            "record the program with " + SYSTEM_WIDE + WHOLE + ": ONNX Runtime's profile holds no more",
            SYSTEM_WIDE,
            SYSTEM_WIDE);

    private static final RecordingRemedy TRTEXEC = of(
            "record with ",
            "`nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node trtexec ...`",
            ": trtexec's own files hold no more");

    /** The recorders of devices of other vendors, by the names of calls and kernels. */
    private static final Map<NameRole, RecordingRemedy> BY_NAME = Map.of(
            NameRole.OF_ASCEND,
            of("`torch_npu.profiler` and `profiler_level=Level1`"),
            NameRole.OF_INTEL,
            of("`torch.profiler` and `ProfilerActivity.XPU`, or `unitrace --chrome-kernel-logging COMMAND`"),
            NameRole.OF_OTHER_VENDOR,
            of("the vendor's build of `torch.profiler`"));

    private static final RecordingRemedy TPU = of("`jax.profiler.trace` or TensorFlow's profiler");

    private static final RecordingRemedy XLA = new RecordingRemedy(
            "record again with `jax.profiler.trace` or TensorFlow's profiler" + WHOLE, SYSTEM_WIDE, SYSTEM_WIDE);

    /** By name of the format. Other formats, and recordings of several formats, count as PyTorch's. */
    private static final Map<String, RecordingRemedy> BY_FORMAT = Map.of(
            "nsys", NSIGHT,
            "rocprofv3", ROCM,
            "rocpd", ROCM,
            "onnxruntime", ONNX_RUNTIME,
            "trtexec", TRTEXEC,
            "xla", XLA);

    private static RecordingRemedy torch(String ofTheVendor) {
        String either = RUN + " (windows of torch.profiler) or " + ofTheVendor;
        return new RecordingRemedy("record again with " + either + WHOLE, either, either);
    }

    private static RecordingRemedy of(String command) {
        return of("record again with ", command, WHOLE);
    }

    private static RecordingRemedy of(String before, String command, String after) {
        return new RecordingRemedy(before + command + after, command, command);
    }

    /** Returns the recorder of a recording, by its format and by the vendor of its calls. */
    static RecordingRemedy of(Analysis analysis) {
        boolean tensorFlow =
                "tensorflow".equals(analysis.timeline().properties().get(TimelineInfo.FRAMEWORK));
        RecordingRemedy known =
                tensorFlow ? XLA : BY_FORMAT.get(analysis.timeline().info().format());
        if (known != null) {
            return known.equals(XLA) && !hasLaunches(analysis) ? TPU : known;
        }
        return callsHip(analysis) ? TORCH_ON_AMD : byName(analysis);
    }

    /** Returns whether recordings of such devices hold launches at all: a TPU runs whole programs. */
    static boolean hasLaunches(Analysis analysis) {
        return analysis.devices().stream()
                .noneMatch(device -> device.track().key().startsWith("TPU"));
    }

    private static RecordingRemedy byName(Analysis analysis) {
        Stream<String> names = analysis.apiCalls().length > 0
                ? analysis.namesOfCalls()
                : analysis.devices().stream().map(device -> analysis.timeline().name(device.row(0)));
        return names.flatMap(name -> BY_NAME.entrySet().stream()
                        .filter(vendor -> vendor.getKey().in(name))
                        .map(Map.Entry::getValue))
                .findFirst()
                .orElse(TORCH);
    }

    /** Every call of AMD's runtime begins with {@code hip}: HIP API reference. */
    private static boolean callsHip(Analysis analysis) {
        return analysis.namesOfCalls().anyMatch(name -> name.startsWith("hip"));
    }
}

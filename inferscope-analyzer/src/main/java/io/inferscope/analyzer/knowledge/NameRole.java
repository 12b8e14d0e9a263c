package io.inferscope.analyzer.knowledge;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@code names.tsv}, which describes each role, tells of a range, an operator, a call, a kernel, a thread or a place. */
public enum NameRole {
    MODEL,
    NEXT_BATCH,
    COLLECTIVE,
    JVM_THREAD,
    RECORDER_THREAD,
    COMPILATION,
    COMPILED_REGION,
    COMPILE_STAGE,
    OF_PYTHON,
    SOURCE_FILE,
    GENERATED_LAUNCHER,
    ALLOCATES,
    READS_RESULT,
    COPIES_NUMBER,
    ON_CPU,
    CONVOLUTION,
    PASS,
    NO_PASS,
    GENERATION,
    COMPILES,
    TRAINS,
    PREFILL,
    DECODE,
    SCHEDULES,
    LOADS_CODE,
    UNLOADS_CODE,
    LIKE_CUDA,
    UNCACHED,
    OF_NVIDIA,
    OF_AMD,
    OF_ASCEND,
    OF_INTEL,
    OF_OTHER_VENDOR,
    ELEMENTWISE,
    GATHERS,
    REDUCES,
    FUSED_ATTENTION,
    CUDNN_ATTENTION,
    FUSED_PRODUCT,
    UNALIGNED,
    SMALL_TYPE,
    DROPOUT,
    BATCH_NORM,
    GRADIENTS,
    ORDINARY_UNITS,
    MATRIX_UNITS,
    PRODUCT,
    SIMT,
    TF32,
    FLOAT64,
    PASSES_DATA,
    COLLECTIVE_RANGE,
    STARTS_PROFILER,
    STOPS_PROFILER,
    ATTENDS,
    EMBEDS,
    ATEN,
    DRAWS,
    FUNCTION_COMPILATION,
    LIMITED_COMPILER,
    TRACING_COMPILER,
    COMPILED_CODE,
    RESUMED_CODE,
    OF_TORCH,
    OF_XLA,
    TENSORFLOW,
    OF_VLLM,
    OF_SGLANG,
    ENGINE_RANGE,
    SCHEDULED_STEP,
    ENGINE_PROCESS,
    ENGINE_WORKER,
    TRANSFORMERS,
    LOADER_WORKERS,
    FSDP,
    ONNX_FORMAT,
    TENSORRT_FORMAT,
    PROGRAMS_FORMAT,
    DEVICES_LAST_FORMAT,
    OPERATOR_WINDOWS;

    private static final Map<String, List<Knowledge.Meaning<NameRole>>> PATTERNS = Knowledge.rows("names.tsv").stream()
            .collect(Collectors.groupingBy(
                    Knowledge.Row::means,
                    Collectors.mapping(
                            row -> new Knowledge.Meaning<>(valueOf(row.means()), row.pattern()), Collectors.toList())));

    /** Returns whether a name has the role. */
    public boolean in(String name) {
        return Knowledge.found(PATTERNS.getOrDefault(name(), List.of()), name) != null;
    }
}

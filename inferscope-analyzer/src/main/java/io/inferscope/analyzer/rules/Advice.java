package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ApiCalls;
import io.inferscope.analyzer.activity.NamePatterns;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.model.CopyDirection;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.tables.Tables;
import java.util.Map;

/** What helps against time of a cause: the flag or call to change. */
public final class Advice {
    /** What helps where single launch calls take long, and not their number. */
    static final String SLOW_LAUNCHES =
            "A launch takes 2 to 10 us. One that takes longer loads a module (`CUDA_MODULE_LOADING=EAGER`, warm up every shape), waits for a lock of the "
                    + "driver that another thread or process holds (launch from one thread), or was descheduled (give the thread a CPU of its own).";

    /** An option that vLLM and SGLang both have. */
    private static final String NO_CUSTOM = " (do not pass `--disable-custom-all-reduce`)";

    /**
     * How to launch less, by the format of a recording whose program is not PyTorch's. Options: ONNX Runtime, "CUDA Execution Provider"; JAX and TensorFlow,
     * references of {@code jit} and {@code tf.function}; TensorRT, "Command-Line Programs".
     */
    private static final Map<String, String> LAUNCH_LESS = Map.of(
            "onnxruntime", "CUDA graphs (`enable_cuda_graph` of the CUDA execution provider), a larger batch.",
            "xla", "one `jax.jit` (`tf.function(jit_compile=True)`) around the whole step, a larger batch.",
            "trtexec", "CUDA graphs (`--useCudaGraph`), a larger batch.");

    /** The same of loading and compiling. Options: ONNX Runtime, "Graph Optimizations"; JAX, "Persistent compilation cache"; TensorRT, as above. */
    private static final Map<String, String> LOAD_SOONER = Map.of(
            "onnxruntime",
                    "Create the session before serving and keep it; write the optimised model once (`SessionOptions.optimized_model_filepath`) and load that.",
            "xla",
                    "Compile before serving: warm up every shape, and keep what was compiled (`jax_compilation_cache_dir`).",
            "trtexec", "Build the engine once (`--saveEngine`) and load it (`--loadEngine`).");

    private Advice() {}

    /** Returns what helps in this program: what it is told must be about what it does, and a run must not be told to run. */
    static String against(LedgerClass cause, Analysis analysis) {
        return switch (cause) {
            case FRAMEWORK_LAUNCH -> areFewAndSlow(analysis) ? SLOW_LAUNCHES : launchLess(analysis);
            case FRAMEWORK_PYTHON, FRAMEWORK_DISPATCH, FRAMEWORK_LAUNCH_LATENCY -> launchLess(analysis);
            case FRAMEWORK_COMPILE_LOAD -> loadSooner(analysis);
            case COPY_H2D -> hideCopies(analysis);
            case GPU_COMMUNICATION ->
                "Overlap communication with compute, or communicate less: smaller tensor-parallel size, larger batch, fused or custom all-reduce"
                        + EngineSteps.words(analysis, NO_CUSTOM, NO_CUSTOM)
                        + ". One rank waiting for another shows here too.";
            case WAIT_UNKNOWN -> waitLess(analysis);
            case UNATTRIBUTED -> {
                String remedy = toExplain(analysis);
                yield Character.toUpperCase(remedy.charAt(0)) + remedy.substring(1)
                        + ": no evidence explains this time.";
            }
            case CPU_TOKENIZATION ->
                "Tokenize " + (isJvm(analysis) ? "" : "with a fast tokenizer (`use_fast=True`), ")
                        + "in batches, and off the critical path: in another "
                        + (isJvm(analysis) ? "thread" : "process")
                        + ", or for the next batch while the model computes.";
            case CPU_PREPROCESSING ->
                "Move preprocessing off the critical path: `DataLoader(num_workers=N, prefetch_factor=2)`, "
                        + "use a fast image processor (`use_fast=True`), or do it on the GPU (`torchvision.transforms.v2` on device tensors).";
            case CPU_SERIALIZATION ->
                "Detokenize and serialise in another thread or process, or once per batch rather than per token.";
            case CPU_PYTHON ->
                "Take the Python work out of the step: vectorise it, hoist it, or run it for the next step while the model computes.";
            case CPU_CODE ->
                "Make the hottest lines cheaper, or run them for the next request while the model computes.";
            case CPU_NATIVE ->
                "Look at what the named line asks of its library: ask less often or for less at once (an index instead of a full scan, a faster level or codec), "
                        + "use a library that does it in parallel, or run it for the next request while the model computes.";
            case KERNEL_PAGE_FAULT ->
                "Reuse memory instead of allocating it anew in each step: buffers that stay, `out=` arguments, an allocator that keeps freed memory "
                        + "(jemalloc, `MALLOC_TRIM_THRESHOLD_`), or huge pages.";
            case KERNEL_FILE ->
                "Write and read less often and in larger pieces, in another thread, or keep the data in memory; do not open the same file in each step.";
            case KERNEL_PROCESS ->
                "Start fewer processes: keep a worker, or call the library instead of its command. Of a large process `os.posix_spawn` and `vfork` are cheaper than `fork`.";
            case KERNEL_MEMORY ->
                "Map and unmap less often: keep mappings and large buffers (`MALLOC_MMAP_THRESHOLD_` lets the C library keep them).";
            case KERNEL_NETWORK ->
                "Send and receive less often and in larger pieces, or share memory between the processes of one machine.";
            case KERNEL_OTHER -> "Call the kernel less often from the named lines.";
            case FRAMEWORK_ALLOCATION ->
                "Allocate before the steady state and keep it: no `torch.cuda.empty_cache()` in a step, "
                        + "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` against fragmentation, equal shapes (pad to buckets), a memory pool (`cudaMallocAsync`) in C++.";
            case FRAMEWORK_SYNC_RETURN ->
                "Do not wait for the device in each step: no `.item()`, `.cpu()` or `synchronize()` there; copy with "
                        + "`non_blocking=True` and read one step later.";
            case WAIT_RUN_QUEUE ->
                isJvm(analysis)
                        ? "Give the thread a CPU: smaller thread pools, fewer threads of the JVM's own (`-XX:ActiveProcessorCount`), or a higher CPU limit."
                        : "Give the thread a CPU: fewer worker threads (`OMP_NUM_THREADS`, `torch.set_num_threads`), or a higher CPU limit.";
            case WAIT_GIL -> "Move the other thread's Python work into another process.";
            case WAIT_LOCK -> "Hold the lock shorter, or split it.";
            case WAIT_IO -> "Read ahead in another thread, or keep the data in memory.";
            case WAIT_SOCKET ->
                "The program waits for requests or answers: send more at once, or "
                        + (analysis.devices().isEmpty()
                                ? "ask before the answer is needed."
                                : "accept that the GPU has nothing to do.");
            case WAIT_TIMER -> "The program sleeps: wait for an event rather than polling with sleep.";
            case WAIT_PAGE_FAULT -> "Touch memory before the timed part, use huge pages, or lower memory pressure.";
            case WAIT_GC ->
                "Call `gc.freeze()` after loading, and `gc.disable()` with manual collection between requests.";
            case WAIT_CHILD_PROCESS ->
                "The program waits for a child process: look at that process, or overlap the two.";
            case GPU_DEPENDENCY ->
                "The device waits for itself: use more than one stream, fewer event waits, or CUDA graphs.";
            case PROFILER -> "The profiler causes this: record without stacks and shapes.";
            case CPU_MODEL_COMPUTE -> "Part of the model runs on the CPU: move it to the device, or make it cheaper.";
            case GPU_COMPUTE ->
                "To go faster, make the kernels themselves cheaper: lower precision, a smaller or quantised model, fused attention, a faster GPU.";
            case COPY_D2H ->
                "Copy less: sample on the GPU and bring back token ids rather than logits, results once rather than per step; "
                        + "copy into pinned memory with `non_blocking=True` on another stream, and read the result one step later.";
            case COPY_OTHER ->
                "Copy less within and between devices: no `.contiguous()` or `.clone()` that nothing needs, write into buffers that stay "
                        + "(`out=`, `copy_`), keep on one device what is used together.";
        };
    }

    /** Returns whether the judged thread is a JVM's: no option of Python's libraries helps it. */
    private static boolean isJvm(Analysis analysis) {
        int thread = analysis.subjectThread();
        int process = thread < 0 ? -1 : analysis.timeline().tracks().get(thread).parent();
        String pid =
                process < 0 ? "" : analysis.timeline().tracks().get(process).key();
        return analysis.timeline()
                .properties()
                .getOrDefault("process." + pid + ".runtime", "")
                .startsWith("JVM");
    }

    /** Returns what would explain more, as part of a sentence: a run already saw the threads, so only names of what they do are missing. */
    public static String toExplain(Analysis analysis) {
        return analysis.isRun()
                ? "name the parts of the program with `scope(\"...\")`, in Python or Java"
                : "record the host side too, with `inferscope run -- COMMAND`";
    }

    /** Returns how to launch less in this program. */
    static String launchLess(Analysis analysis) {
        String engine = EngineSteps.words(
                analysis,
                "let vLLM replay CUDA graphs (no `--enforce-eager`; `--compilation-config.cudagraph_mode FULL_AND_PIECEWISE`), or batch more requests.",
                "let SGLang replay CUDA graphs (no `--disable-cuda-graph`; `--cuda-graph-max-bs` as large as the batches in use), or batch more requests.");
        return "Launch less: "
                + (engine.isEmpty()
                        ? LAUNCH_LESS.getOrDefault(
                                analysis.timeline().info().format(),
                                "`torch.compile(mode=\"reduce-overhead\")` or CUDA graphs, a larger batch.")
                        : engine);
    }

    private static String hideCopies(Analysis analysis) {
        String how = CopyEvidence.arePinned(analysis, CopyDirection.H2D)
                ? ", whose memory is pinned already: `.to(device, non_blocking=True)`"
                : ": `pin_memory=True` and `.to(device, non_blocking=True)`";
        return "Hide the copies" + how + " on another stream while the previous batch computes; "
                + "batch small copies into one; keep weights and caches on the device.";
    }

    /** Returns whether most of the launching is in single calls that take long: fewer launches would keep those. */
    private static boolean areFewAndSlow(Analysis analysis) {
        return !analysis.devices().isEmpty()
                && 2 * LaunchCosts.of(analysis).slow().totalNs(analysis.idle())
                        > analysis.ledger().ns(LedgerClass.FRAMEWORK_LAUNCH);
    }

    private static String loadSooner(Analysis analysis) {
        String other = LOAD_SOONER.get(analysis.timeline().info().format());
        if (other != null) {
            return other;
        }
        if (analysis.devices().isEmpty()) {
            return "Load and compile before serving: warm up every shape, and keep compiled caches.";
        }
        boolean firstCall = analysis.blameFigures().stream()
                .filter(b -> b.cause() == LedgerClass.FRAMEWORK_COMPILE_LOAD)
                .findFirst()
                .filter(b -> ApiCalls.isQuery(b.activity()))
                .isPresent();
        return firstCall
                ? "The first call into the driver makes the context, for each GPU in sight: keep the driver loaded (`nvidia-smi -pm 1`), show the process only the"
                        + " GPUs that it uses (`CUDA_VISIBLE_DEVICES`), load modules at their first use (`CUDA_MODULE_LOADING=LAZY`), and make it in"
                        + " a thread while weights are read (`torch.cuda.init()`)."
                : "Load and compile before serving: warm up every shape, keep compiled caches, load modules eagerly "
                        + "(`CUDA_MODULE_LOADING=EAGER`).";
    }

    private static String waitLess(Analysis analysis) {
        boolean ranks = Tables.of(analysis).scopes().stream()
                .anyMatch(s -> s.ledgerClass() == LedgerClass.WAIT_UNKNOWN && NamePatterns.isCollective(s.name()));
        if (ranks) {
            return "A collective waits for the slowest rank: record every rank, and look at what the late ones do before they join it.";
        }
        return analysis.isRun()
                ? "Look at what works while this thread waits (see the evidence and the table of threads), and make that faster or overlap it."
                : "The thread waits and no record says for whom: record with `inferscope run` so that the other side is seen.";
    }
}

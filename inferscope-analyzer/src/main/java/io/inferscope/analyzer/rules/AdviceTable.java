package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.Fact.AMD;
import static io.inferscope.analyzer.rules.Fact.BRIEF_CALLS;
import static io.inferscope.analyzer.rules.Fact.BUSY_CPUS;
import static io.inferscope.analyzer.rules.Fact.COLLECTS_ITSELF;
import static io.inferscope.analyzer.rules.Fact.CUDNN_ATTENTION;
import static io.inferscope.analyzer.rules.Fact.FSDP;
import static io.inferscope.analyzer.rules.Fact.GPU;
import static io.inferscope.analyzer.rules.Fact.GPU_BUSY;
import static io.inferscope.analyzer.rules.Fact.JVM;
import static io.inferscope.analyzer.rules.Fact.LOADER_WORKERS;
import static io.inferscope.analyzer.rules.Fact.NATIVE;
import static io.inferscope.analyzer.rules.Fact.NEEDLESS_GRAPH;
import static io.inferscope.analyzer.rules.Fact.NEW_THREADS;
import static io.inferscope.analyzer.rules.Fact.NVIDIA;
import static io.inferscope.analyzer.rules.Fact.ONNX;
import static io.inferscope.analyzer.rules.Fact.OTHER_VENDOR;
import static io.inferscope.analyzer.rules.Fact.OWN_KERNELS;
import static io.inferscope.analyzer.rules.Fact.OWN_THREADS;
import static io.inferscope.analyzer.rules.Fact.PINNED_INPUT;
import static io.inferscope.analyzer.rules.Fact.POOL;
import static io.inferscope.analyzer.rules.Fact.READS_LISTS;
import static io.inferscope.analyzer.rules.Fact.REPLAYS_GRAPHS;
import static io.inferscope.analyzer.rules.Fact.SGLANG;
import static io.inferscope.analyzer.rules.Fact.SIZE_CHECKS;
import static io.inferscope.analyzer.rules.Fact.TAKES_TURNS;
import static io.inferscope.analyzer.rules.Fact.TENSORRT;
import static io.inferscope.analyzer.rules.Fact.TOO_MANY_THREADS;
import static io.inferscope.analyzer.rules.Fact.TORCH;
import static io.inferscope.analyzer.rules.Fact.TRAINING;
import static io.inferscope.analyzer.rules.Fact.TRANSFORMERS;
import static io.inferscope.analyzer.rules.Fact.UNCACHED_ALLOCATIONS;
import static io.inferscope.analyzer.rules.Fact.UNIFIED_MEMORY;
import static io.inferscope.analyzer.rules.Fact.VLLM;
import static io.inferscope.analyzer.rules.Fact.XLA;

import io.inferscope.analyzer.analysis.Analysis;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The table of advice. Each row has a text, the facts that a recording must have, and the facts that it must not have.
 * The advice on a topic is the texts of all matching rows, in the order of the table.
 *
 * <p>Options: ONNX Runtime, "CUDA Execution Provider" and "Graph Optimizations"; JAX and TensorFlow, references of
 * {@code jit} and {@code tf.function}, "Persistent compilation cache"; TensorRT, "Command-Line Programs"; CUDA,
 * "Environment Variables"; ROCm, "rocprof-compute".
 */
final class AdviceTable {
    /** The rows by topic: the cause of a loss, or a rule whose remedy depends on the recording. */
    enum Topic {
        LAUNCH_LESS(
                row("The GPU is busy most of the time: make its kernels cheaper first.", GPU_BUSY),
                row(
                                "Launch less: let vLLM replay CUDA graphs (no `--enforce-eager`; `--compilation-config.cudagraph_mode FULL_AND_PIECEWISE`), or batch more requests.",
                                VLLM)
                        .unless(REPLAYS_GRAPHS),
                row(
                                "Launch less: let SGLang replay CUDA graphs (no `--disable-cuda-graph`; `--cuda-graph-max-bs` as large as the batches in use), or batch more requests.",
                                SGLANG)
                        .unless(REPLAYS_GRAPHS),
                row(WITHOUT_GRAPH, TORCH, NEEDLESS_GRAPH).unless(VLLM, SGLANG, GPU_BUSY),
                row("Launch less: `torch.compile(mode=\"reduce-overhead\")` or CUDA graphs, a larger batch.", TORCH)
                        .unless(VLLM, SGLANG, GPU_BUSY, REPLAYS_GRAPHS, OTHER_VENDOR),
                row("Launch less: fuse small kernels (`torch.compile`), a larger batch.", TORCH, OTHER_VENDOR)
                        .unless(VLLM, SGLANG, GPU_BUSY, REPLAYS_GRAPHS),
                row("Launch less by fusing (`torch.compile`): that also makes the kernels cheaper.", TORCH, GPU_BUSY)
                        .unless(VLLM, SGLANG),
                row(
                                "Launch less: CUDA graphs (`enable_cuda_graph` of the CUDA execution provider), a larger batch.",
                                ONNX)
                        .unless(AMD, REPLAYS_GRAPHS),
                row("Launch less: a larger batch, fewer and larger operators.", ONNX, AMD),
                row(
                        "Launch less: one `jax.jit` (`tf.function(jit_compile=True)`) around the whole step, a larger batch.",
                        XLA),
                row("Launch less: CUDA graphs (`--useCudaGraph`), a larger batch.", TENSORRT)
                        .unless(REPLAYS_GRAPHS),
                row("Launch less: replay the step as a graph, fuse small kernels, a larger batch.")
                        .unless(TORCH, ONNX, XLA, TENSORRT, VLLM, SGLANG, JVM, REPLAYS_GRAPHS),
                row(
                        "Most kernels are replayed by graphs already: capture what is still launched around them too, or let each replay do more (a larger batch).",
                        REPLAYS_GRAPHS),
                row("Launch less: larger operators, a larger batch.", JVM)
                        .unless(TORCH, ONNX, XLA, TENSORRT, VLLM, SGLANG),
                row(
                        "Inductor's code checks the size of each tensor (`assert_size_stride`): leave that out (`TORCHINDUCTOR_SIZE_ASSERTS=0`), and record without"
                                + " stacks (`with_stack=False`), which make each check look long.",
                        TORCH,
                        SIZE_CHECKS)),
        GRAPH_LAUNCHES(
                row("These kernels are replayed by graphs already. To see what a launch costs without a tracer that records each node, record graphs as a whole"
                                + " (`nsys profile --cuda-graph-trace=graph`) or time steps without a profiler.")
                        .unless(AMD),
                row(
                        "These kernels are replayed by graphs already. To see what a launch costs without a tracer that records each node, time steps without a profiler.",
                        AMD),
                row(
                        "Let each replay do more (a larger batch), and launch the next one before the last one has ended.")),
        BETWEEN_REPLAYS(
                row(
                        "Prepare a step while the GPU computes the one before it: let SGLang overlap its scheduler (no `--disable-overlap-schedule`), and do less in the named functions.",
                        SGLANG),
                row(
                        "Prepare a step while the GPU computes the one before it: let vLLM schedule asynchronously (`--async-scheduling`), and do less in the named functions.",
                        VLLM),
                row("Run the named functions while the GPU computes: launch the next graph first, or move them to another thread or process; and do less in them.")
                        .unless(VLLM, SGLANG)),
        SYNCHRONISE(
                row(
                        "Do not wait for the device in each step: no `block_until_ready()`, `jax.device_get()` or `float()` of a result there; read it one step later.",
                        XLA),
                row(
                        "Do not wait for the device in each step: no `.item()`, `.cpu()` or `synchronize()` there; copy with `non_blocking=True` and read one step later.",
                        TORCH),
                row("Do not wait for the device in each step: no synchronisation and no blocking copy there; copy asynchronously into pinned memory and read one step later.")
                        .unless(TORCH, XLA)),
        HIDE_COPIES(
                row(
                        "Pages of unified memory move when they are touched: move them before (`cudaMemPrefetchAsync`, `hipMemPrefetchAsync`), say who uses them"
                                + " (`cudaMemAdvise`), or copy explicitly from pinned memory.",
                        UNIFIED_MEMORY),
                row(
                                "Hide the copies, whose memory is pinned already: `.to(device, non_blocking=True)` on another stream while the previous batch computes;",
                                TORCH,
                                PINNED_INPUT)
                        .unless(UNIFIED_MEMORY),
                row(
                                "Hide the copies: `pin_memory=True` and `.to(device, non_blocking=True)` on another stream while the previous batch computes;",
                                TORCH)
                        .unless(PINNED_INPUT, UNIFIED_MEMORY),
                row(
                                "Hide the copies: `jax.device_put` (`prefetch_to_device` of `tf.data`) for the next batch while this one computes;",
                                XLA)
                        .unless(UNIFIED_MEMORY),
                row(
                                "Hide the copies, whose memory is pinned already: copy asynchronously on another stream while the previous batch computes;",
                                PINNED_INPUT)
                        .unless(TORCH, XLA, UNIFIED_MEMORY),
                row("Hide the copies: asynchronously from pinned memory, on another stream while the previous batch computes;")
                        .unless(TORCH, XLA, PINNED_INPUT, UNIFIED_MEMORY),
                row("batch small copies into one; keep weights and caches on the device.")
                        .unless(UNIFIED_MEMORY)),
        HOST_CODE(
                row(
                        "Record what runs there: stacks (`with_stack=True`), or the whole host side (`inferscope run -- COMMAND`); then make that cheaper, or run it for the next"
                                + " request while this one computes.",
                        TORCH),
                row("Record what runs there (`inferscope run -- COMMAND`); then make that cheaper, or run it for the next request while this one computes.")
                        .unless(TORCH)),
        COPY_BACK_LESS(
                row(
                        "Copy less: bring back results rather than what the GPU can compute them from (token ids, not logits), and once rather than per step;"),
                row(
                        "move pages of unified memory back before the host touches them (`cudaMemPrefetchAsync`, `hipMemPrefetchAsync`).",
                        UNIFIED_MEMORY),
                row(
                                "copy into pinned memory with `non_blocking=True` on another stream, and read the result one step later.",
                                TORCH)
                        .unless(UNIFIED_MEMORY),
                row("start the copy early (`copy_to_host_async()`), and read the result one step later.", XLA)
                        .unless(UNIFIED_MEMORY),
                row("copy asynchronously into pinned memory on another stream, and read the result one step later.")
                        .unless(TORCH, XLA, UNIFIED_MEMORY)),
        COPY_LESS(
                row(
                        "The core waits for copies that XLA starts ahead of it (`copy-start`): a larger batch gives them more to hide behind; lower precision, and nothing"
                                + " kept in the host's memory, makes them shorter.",
                        XLA,
                        Fact.BLOCKS),
                row(
                        "Copy less within and between devices: no `.contiguous()` or `.clone()` that nothing needs, write into buffers that stay,"
                                + " keep on one device what is used together.",
                        TORCH),
                row("Copy less within and between devices: write into buffers that stay, keep on one device what is used together.")
                        .unless(TORCH, XLA),
                row("Copy less within and between devices: keep on one device what is used together.", XLA)
                        .unless(TORCH, Fact.BLOCKS)),
        COPY_ASYNCHRONOUSLY(
                row(
                        "Copy asynchronously: `tensor.to(device, non_blocking=True)`, from memory that is pinned (`pin_memory=True`).",
                        TORCH),
                row("Copy asynchronously on a stream, from pinned memory (`hipMemcpyAsync`, `hipHostMalloc`).", AMD)
                        .unless(TORCH),
                row("Copy asynchronously on a stream, from pinned memory (`cudaMemcpyAsync`, `cudaHostAlloc`).")
                        .unless(TORCH, AMD)),
        PIN_INPUT(
                row(
                        "Allocate host buffers pinned: `DataLoader(pin_memory=True)`, `tensor.pin_memory()`, `cudaHostRegister`; then copy with `non_blocking=True`.",
                        TORCH),
                row("Allocate host buffers pinned (`hipHostMalloc`, `hipHostRegister`), and copy asynchronously.", AMD)
                        .unless(TORCH),
                row("Allocate host buffers pinned (`cudaHostAlloc`, `cudaHostRegister`), and copy asynchronously.")
                        .unless(TORCH, AMD)),
        PIN_OUTPUT(
                row(
                        "Copy into a pinned tensor that is used again (`torch.empty(..., pin_memory=True)`, `cudaHostAlloc`) with"
                                + " `out.copy_(result, non_blocking=True)`, and read it after an event or a synchronisation.",
                        TORCH),
                row("Copy asynchronously into a pinned buffer that is used again, and read it after an event or a synchronisation.")
                        .unless(TORCH)),
        COPIES_PER_STEP(
                row("A copy costs some 10 us however small it is: put what belongs together into one buffer and copy that once, make masks and position ids on"
                                + " the device,")
                        .below(Figure.COPY_BYTES, SMALL_COPY_BYTES),
                row("These copies are large: keep on the device what steps use again, and copy the rest ahead, from pinned memory on another stream;")
                        .from(Figure.COPY_BYTES, SMALL_COPY_BYTES),
                row("and do not read single values back (`.item()`, `.tolist()`).", TORCH),
                row("and do not read single values back.").unless(TORCH)),
        SLOW_LAUNCHES(
                row(
                        "Each call enqueues a whole network: replay it as a CUDA graph (`--useCudaGraph`), or give each call more to do (a larger batch).",
                        TENSORRT),
                row(
                                "At the first use of a kernel its module is loaded (lazy loading): warm up before serving, or load modules at the start (`CUDA_MODULE_LOADING=EAGER`).",
                                NVIDIA)
                        .unless(TENSORRT)
                        .from(Figure.ONE_OFF, 1),
                row("At the first use of a kernel its code is loaded: warm up before serving.")
                        .unless(NVIDIA, TENSORRT)
                        .from(Figure.ONE_OFF, 1),
                row(
                                "A launch takes 2 to 10 us. One that takes longer loads a module (`CUDA_MODULE_LOADING=EAGER`, warm up every shape),",
                                NVIDIA)
                        .unless(TENSORRT)
                        .below(Figure.ONE_OFF, 1),
                row("A launch takes 2 to 10 us. One that takes longer loads code at the first use of a kernel (warm up every shape),")
                        .unless(NVIDIA, TENSORRT)
                        .below(Figure.ONE_OFF, 1),
                row("waits for a lock of the driver that another thread or process holds (launch from one thread), or was descheduled (give the thread a CPU of its own).")
                        .unless(TENSORRT)
                        .below(Figure.ONE_OFF, 1)),
        BLOCKING_LAUNCHES(
                row("Unset `CUDA_LAUNCH_BLOCKING`, which is for debugging: it makes each launch wait.", NVIDIA),
                row(
                                "Unset `HIP_LAUNCH_BLOCKING` and `AMD_SERIALIZE_KERNEL`, which are for debugging: they make each launch wait.",
                                AMD)
                        .unless(NVIDIA),
                row("Unset `CUDA_LAUNCH_BLOCKING` (AMD: `HIP_LAUNCH_BLOCKING`, `AMD_SERIALIZE_KERNEL`), which is for debugging: it makes each launch wait.")
                        .unless(NVIDIA, AMD),
                row(
                        "Look for it in the code too (`os.environ`), and in the container's or the service's environment. Debuggers and memory checkers"
                                + " (`compute-sanitizer`, `cuda-gdb`) do the same.")),
        FLOAT64(
                row(
                        "If the results do not need float64: `model.float()`, and inputs of `dtype=torch.float32`. Find where the type comes from: NumPy's arrays are"
                                + " float64, and `torch.from_numpy` and `torch.tensor` keep that (`np.float32`); `.double()`; `torch.set_default_dtype(torch.float64)`.",
                        TORCH),
                row(
                        "If the results do not need float64: compute in float32 (`jax_enable_x64` off, `dtype=np.float32` for inputs).",
                        XLA),
                row("If the results do not need float64: compute in float32. NumPy's arrays are float64 unless a type is given (`dtype=np.float32`).")
                        .unless(TORCH, XLA)),
        FLOAT16(
                row(
                        "Compute in float32: `from_pretrained(..., dtype=torch.float32)`, because transformers keeps the type of the checkpoint.",
                        TORCH,
                        TRANSFORMERS),
                row("Compute in float32: `model.float()`.", TORCH).unless(TRANSFORMERS),
                row("Compute in float32.").unless(TORCH),
                row(
                        "`model.bfloat16()` halves the memory as well, and is as fast as float32 on CPUs with AVX512-BF16 or AMX.",
                        TORCH)),
        LATE_LAUNCHES(
                row(
                        "Look at the longest one: an event or stream wait before it (`cudaStreamWaitEvent`), a module that is loaded at its first use "
                                + "(`CUDA_MODULE_LOADING=EAGER`), a lock of the driver, or a GPU that has to leave its idle clocks (`nvidia-smi -pm 1`, `nvidia-smi -lgc`).",
                        NVIDIA),
                row("Look at the longest one: an event or stream wait before it, code that is loaded at its first use (warm up every shape), a lock of the "
                                + "driver, or a GPU that has to leave its idle clocks.")
                        .unless(NVIDIA)),
        SHORT_KERNELS(
                row(
                                "No launching thread can keep a GPU busy with kernels that are shorter than their launch: replay them with a CUDA graph (`torch.compile(mode=\"reduce-overhead\")`), "
                                        + "fuse them (`torch.compile`), or give each more to do (a larger batch).",
                                TORCH)
                        .unless(VLLM, SGLANG, GPU_BUSY, OTHER_VENDOR),
                row(
                                "No launching thread can keep a GPU busy with kernels that are shorter than their launch: fuse them (`torch.compile`), or give each more to do (a larger batch).",
                                TORCH,
                                OTHER_VENDOR)
                        .unless(VLLM, SGLANG, GPU_BUSY),
                row(
                                "Fuse small kernels (`torch.compile`), or give each more to do (a larger batch): the GPU is busy all the same, so that saves little.",
                                TORCH,
                                GPU_BUSY)
                        .unless(VLLM, SGLANG),
                row(
                        "No launching thread can keep a GPU busy with kernels that are shorter than their launch: let vLLM replay them with a CUDA graph (no `--enforce-eager`), or batch more requests.",
                        VLLM),
                row(
                        "No launching thread can keep a GPU busy with kernels that are shorter than their launch: let SGLang replay them with a CUDA graph (no `--disable-cuda-graph`), or batch more requests.",
                        SGLANG),
                row("No launching thread can keep a GPU busy with kernels that are shorter than their launch: replay them as one graph, fuse them, or give each more to do (a larger batch).")
                        .unless(TORCH, VLLM, SGLANG)),
        LARGER_BATCH(
                row("A larger batch costs next to no time as long as kernels do not queue: raise it until they do."),
                row("For one request at a time, launch less (CUDA graphs, fusion).")
                        .unless(TRAINING, REPLAYS_GRAPHS),
                row("Where it may not grow, launch less (CUDA graphs, fusion).", TRAINING)
                        .unless(REPLAYS_GRAPHS)),
        ONE_KERNEL(
                row("Profile this kernel alone (`ncu --kernel-name`),", NVIDIA),
                row("Profile this kernel alone (`rocprof-compute profile -k`),", AMD),
                row("Profile this kernel alone,").unless(NVIDIA, AMD),
                row("and try another implementation of its operator: lower precision, a fused attention, aligned sizes.")
                        .unless(Fact.FUSED_ATTENTION, OWN_KERNELS),
                row(
                        "and try another implementation of its operator: lower precision, another attention backend, aligned sizes.",
                        Fact.FUSED_ATTENTION),
                row("and look at what limits it: memory, arithmetic, or too few threads at once.", OWN_KERNELS)
                        .unless(Fact.FUSED_ATTENTION)),
        FEW_BLOCKS(
                row(
                        "Do more at once: a larger batch, independent kernels on several streams, an implementation that divides the work further"
                                + " (split-K, flash decoding).",
                        TORCH),
                row("Launch more blocks, each with less to do: several for each multiprocessor, of 128 threads or more; or run independent kernels side by side,"
                                + " on several streams.")
                        .unless(TORCH)),
        MAKE_CONTEXT(
                row(
                        "The first call into the driver creates the context, for each visible GPU: keep the driver loaded (`nvidia-smi -pm 1`), show the process only the"
                                + " GPUs that it uses (`CUDA_VISIBLE_DEVICES`),",
                        NVIDIA),
                row("The first call into the driver creates the context, for each visible GPU: show the process only the GPUs that it uses"
                                + " (`HIP_VISIBLE_DEVICES`, `CUDA_VISIBLE_DEVICES`),")
                        .unless(NVIDIA),
                row("and create it in a thread while weights are read (`torch.cuda.init()`).", TORCH),
                row("and create it in a thread while weights are read.").unless(TORCH)),
        LOAD_SOONER(
                row(
                        "Create the session before serving and keep it; write the optimised model once (`SessionOptions.optimized_model_filepath`) and load that.",
                        ONNX),
                row(
                        "Compile before serving: warm up every shape, and keep what was compiled (`jax_compilation_cache_dir`).",
                        XLA),
                row("Build the engine once (`--saveEngine`) and load it (`--loadEngine`).", TENSORRT),
                row("Load and compile before serving: warm up every shape, and keep compiled caches.")
                        .unless(ONNX, XLA, TENSORRT, NVIDIA),
                row(
                                "Load and compile before serving: warm up every shape, keep compiled caches, load modules eagerly (`CUDA_MODULE_LOADING=EAGER`).",
                                NVIDIA)
                        .unless(ONNX, XLA, TENSORRT)),
        STEADY_LOADING(
                row(
                        "A new thread builds and loads anew what threads before it had, as plans of cuDNN's attention belong to their thread: run the model on the"
                                + " same threads for all requests (`ThreadPoolExecutor`, or one thread with a queue).",
                        NEW_THREADS),
                row(
                        "cuDNN generates a kernel of attention for each new length: let PyTorch take another one (`torch.backends.cuda.enable_cudnn_sdp(False)`), or keep lengths"
                                + " constant (a static cache, padding).",
                        TORCH,
                        CUDNN_ATTENTION),
                row("Warm up with every shape that requests can have (or pad to a few), before the first one:"),
                row("`torch.compile(dynamic=True)`,", TORCH),
                row("`--compilation-config.compile_sizes`,", VLLM),
                row("no `--disable-cuda-graph`,", SGLANG),
                row("load modules at the start (`CUDA_MODULE_LOADING=EAGER`),", NVIDIA),
                row("and keep Triton's and Inductor's caches (`TRITON_CACHE_DIR`, `TORCHINDUCTOR_CACHE_DIR`).", TORCH),
                row("and keep what was compiled.").unless(TORCH)),
        TOKENIZATION(
                row(
                        "Tokenize in batches, and off the critical path: in another thread, or for the next batch while this one computes.",
                        JVM),
                row(
                                "Tokenize with a fast tokenizer (`use_fast=True`), in batches, and off the critical path: in another process, or for the next batch while"
                                        + " this one computes.",
                                TRANSFORMERS)
                        .unless(JVM),
                row("Make the tokenizer's hottest lines cheaper, or use a compiled one; tokenize in batches, and off the critical path: in another process, or"
                                + " for the next batch while this one computes.")
                        .unless(JVM, TRANSFORMERS)),
        PREPROCESSING(
                row(
                                "`torch.tensor` reads Python's lists number by number: let NumPy read them (`torch.from_numpy(np.array(x))` took a fifth of the time for 20,000 numbers),"
                                        + " or keep arrays from the start.",
                                TORCH,
                                READS_LISTS)
                        .unless(JVM),
                row(MORE_WORKERS, LOADER_WORKERS).unless(JVM),
                row(TRANSFORM_ON_GPU, LOADER_WORKERS, GPU).unless(JVM),
                row(
                        "Move preprocessing off the critical path: into other threads, or to the next batch while this one computes.",
                        JVM),
                row(
                                "Move preprocessing off the critical path: `DataLoader(num_workers=N, prefetch_factor=2)`, use a fast image processor (`use_fast=True`), or do"
                                        + " it on the GPU (`torchvision.transforms.v2` on device tensors).",
                                GPU,
                                TRANSFORMERS)
                        .unless(JVM, LOADER_WORKERS),
                row(
                                "Move preprocessing off the critical path: `DataLoader(num_workers=N, prefetch_factor=2)`, or do it on the GPU"
                                        + " (`torchvision.transforms.v2` on device tensors).",
                                GPU)
                        .unless(JVM, TRANSFORMERS, LOADER_WORKERS),
                row(
                                "Move preprocessing off the critical path: `DataLoader(num_workers=N, prefetch_factor=2)`, or use a fast image processor"
                                        + " (`use_fast=True`).",
                                TRANSFORMERS)
                        .unless(JVM, GPU, LOADER_WORKERS),
                row(
                                "Move preprocessing off the critical path: into other processes (`DataLoader(num_workers=N, prefetch_factor=2)` in PyTorch), or to the next"
                                        + " batch while this one computes.",
                                TORCH)
                        .unless(JVM, GPU, TRANSFORMERS, LOADER_WORKERS),
                row("Move preprocessing off the critical path: into other processes, or to the next batch while this one computes.")
                        .unless(JVM, GPU, TRANSFORMERS, TORCH, LOADER_WORKERS)),
        SERIALIZATION(
                row("Serialise in another thread, or once per batch rather than per item.", JVM)
                        .below(Figure.COPIED_RATIO, 1 - WORTH_ADVICE),
                row("Serialise and detokenize once per batch rather than per item, or in another process.")
                        .unless(JVM)
                        .below(Figure.COPIED_RATIO, 1 - WORTH_ADVICE),
                row("Copy results back rather than what the GPU can compute them from (token ids, not logits), asynchronously into pinned memory, and read them one step"
                                + " later.")
                        .from(Figure.COPIED_RATIO, WORTH_ADVICE)),
        ONE_OFF(
                row(
                        "This happens once, outside the steps: do it before the first request, beside what else is loaded (in another thread), or not at all.")),
        RUN_QUEUE(
                row(
                        "Give the thread a CPU: smaller thread pools, fewer threads of the JVM's own (`-XX:ActiveProcessorCount`), or a higher CPU limit.",
                        JVM),
                row(
                                "Give the thread a CPU: fewer worker threads (`OMP_NUM_THREADS`, `torch.set_num_threads`), or a higher CPU limit.",
                                TORCH)
                        .unless(JVM, NATIVE),
                row("Give the thread a CPU: fewer threads or processes that work at once (`OMP_NUM_THREADS` for pools of libraries), or a higher CPU limit.")
                        .unless(JVM, NATIVE, TORCH),
                row(
                        "Give the thread a CPU: fewer threads that work at once (`OMP_NUM_THREADS` where they are OpenMP's), or a higher CPU limit.",
                        NATIVE)),
        COMPUTE_ON_CPU(
                row("Part of the model runs on the CPU: move it to the device, or make it cheaper.", GPU),
                row("Make the model itself cheaper: lower precision, a smaller model, more cores.")
                        .unless(GPU)),
        GPU_COMPUTE(
                row(
                        "Record what an inference consists of before changing anything: its layers (`trtexec --exportProfile=FILE --separateProfileRun`), or its kernels (`nsys profile trtexec ...`).",
                        TENSORRT,
                        Fact.BLOCKS),
                row(
                        "To go faster, make the operations themselves cheaper: lower precision, a smaller or quantised model, shapes that fill the matrix units.",
                        XLA,
                        Fact.BLOCKS),
                row("To go faster, make the kernels themselves cheaper: lower precision, a smaller or quantised model, fused attention, a faster GPU.")
                        .unless(Fact.FUSED_ATTENTION, TRAINING, OWN_KERNELS, Fact.BLOCKS),
                row(
                                "To go faster, make the kernels themselves cheaper: profile them alone (`ncu`), fewer passes over memory, lower precision, a faster GPU.",
                                OWN_KERNELS,
                                NVIDIA)
                        .unless(TRAINING, Fact.FUSED_ATTENTION),
                row(
                                "To go faster, make the kernels themselves cheaper: profile them alone (`rocprof-compute`), fewer passes over memory, lower precision, a"
                                        + " faster GPU.",
                                OWN_KERNELS,
                                AMD)
                        .unless(TRAINING, Fact.FUSED_ATTENTION),
                row(
                                "To go faster, make the kernels themselves cheaper: fewer passes over memory, lower precision, a faster GPU.",
                                OWN_KERNELS)
                        .unless(NVIDIA, AMD, TRAINING, Fact.FUSED_ATTENTION),
                row(
                                "To go faster, make the kernels themselves cheaper: lower precision, a smaller or quantised model, fewer passes over memory between"
                                        + " products (fusion), a faster GPU.",
                                Fact.FUSED_ATTENTION)
                        .unless(TRAINING),
                row(
                                "To go faster, make the kernels themselves cheaper: lower precision, fused attention, a fused optimizer, more or"
                                        + " faster GPUs.",
                                TRAINING)
                        .unless(Fact.FUSED_ATTENTION),
                row(
                        "To go faster, make the kernels themselves cheaper: lower precision, a fused optimizer, less recomputation, more or faster GPUs.",
                        TRAINING,
                        Fact.FUSED_ATTENTION)),
        SOCKET(
                row(
                        "The program waits for requests or answers: send more at once, or accept that the GPU has nothing to do.",
                        GPU),
                row("The program waits for requests or answers: send more at once, or ask before the answer is needed.")
                        .unless(GPU)),
        TOUCH_LESS(
                row("Reuse memory instead of allocating it anew in each step: buffers that stay, `out=` arguments, an allocator that keeps freed memory "
                                + "(jemalloc, `MALLOC_TRIM_THRESHOLD_`), or huge pages.")
                        .unless(JVM, NATIVE),
                row(
                        "Reuse memory instead of allocating it anew in each step: buffers that stay, an allocator that keeps freed memory (jemalloc,"
                                + " `MALLOC_TRIM_THRESHOLD_`), or huge pages.",
                        NATIVE),
                row(
                        "Touch the heap before the timed part (`-XX:+AlwaysPreTouch`, `-Xms` as large as `-Xmx`), use huge pages, and reuse buffers outside of it.",
                        JVM)),
        GARBAGE_COLLECTION(
                row(
                        "Allocate less in each request, or choose a collector with short pauses (`-XX:+UseZGC`) and a larger heap.",
                        JVM),
                row(
                                "The program itself calls `gc.collect()`: call it less often, or not at all; `gc.freeze()` after loading makes the others short.",
                                COLLECTS_ITSELF)
                        .unless(JVM),
                row("Call `gc.freeze()` after loading, and `gc.disable()` with manual collection between requests.")
                        .unless(JVM, COLLECTS_ITSELF)),
        PYTHON(
                row(
                        "Its lines call operators one by one, each so small that calling it costs more than its work: compile the step as a whole (`jax.jit`,"
                                + " `tf.function`), and read results once.",
                        BRIEF_CALLS,
                        XLA),
                row(
                                "Its lines call operators one by one, each so small that calling it costs more than its work: compute on whole tensors instead of their"
                                        + " elements, read results once (`.tolist()`, not `.item()` in a loop), and take the rest out of the step.",
                                BRIEF_CALLS)
                        .unless(XLA),
                row("Take the Python work out of the step: vectorise it, hoist it, or run it for the next step while this one computes.")
                        .unless(BRIEF_CALLS),
                row("Most of it follows a wait that empties the GPU's queue (`.item()`, `.cpu()`, a copy from pageable memory): without the wait it would run under the"
                                + " GPU's work.")
                        .from(Figure.DRAINED_RATIO, 0.5)),
        FRAMEWORK(
                row(WITHOUT_GRAPH, TORCH, NEEDLESS_GRAPH),
                row(
                        "Give each call more to do: a larger batch, or `torch.compile(model)`, which leaves out the Python between operators;"
                                + " an exported model (ONNX Runtime, OpenVINO) has none of it.",
                        TORCH),
                row(
                        "Give each call more to do: whole arrays in place of their elements (read results once, with `numpy.asarray(x)`), one compiled"
                                + " function (`jax.jit`, `tf.function`) around the whole step, a larger batch.",
                        XLA),
                row("Give each call more to do: whole arrays in place of their elements, a larger batch, an exported model (ONNX Runtime, OpenVINO).")
                        .unless(TORCH, XLA)),
        ONE_THREAD(
                row(
                        "More CPUs do not help, a second thread does: hand its work to a pool, or take its hottest lines out of the step.",
                        JVM),
                row(
                                "More CPUs do not help, a second thread or process does: hand its Python work to processes (`DataLoader(num_workers=N)`, a pool), use native"
                                        + " code that releases the GIL, or take its hottest lines out of the step.",
                                TORCH)
                        .unless(JVM),
                row("More CPUs do not help, a second thread or process does: hand its Python work to a pool of processes, use native code that releases the"
                                + " GIL, or take its hottest lines out of the step.")
                        .unless(JVM, TORCH)),
        TOO_MANY_NATIVE_THREADS(
                row(
                        "Use no more compute threads than CPUs: limit the pools of native libraries, and the JVM's own threads (`-XX:ActiveProcessorCount={setting}`).",
                        JVM),
                row(
                                "Use no more compute threads than CPUs: start with `OMP_NUM_THREADS={setting}` (and `MKL_NUM_THREADS={setting}`), or call"
                                        + " `torch.set_num_threads({setting})` before the first operator; several such processes share the number among them.",
                                TORCH)
                        .unless(JVM, NATIVE),
                row("Use no more compute threads than CPUs: start with `OMP_NUM_THREADS={setting}`, or with the setting of the library whose threads they are;"
                                + " several such processes share the number among them.")
                        .unless(JVM, NATIVE, TORCH),
                row(
                        "Use no more compute threads than CPUs: {setting} per pool (`OMP_NUM_THREADS={setting}` where they are OpenMP's); several such"
                                + " processes share the number among them.",
                        NATIVE)),
        THREADS_DO_NOT_SCALE(
                row(
                                "Give each operator more work (a larger batch), or use fewer threads: `OMP_NUM_THREADS={setting}` or"
                                        + " `torch.set_num_threads({setting})` costs hardly any speed, and leaves CPUs for another instance.",
                                TORCH)
                        .unless(NATIVE),
                row(FEWER_THREADS).unless(TORCH),
                row(FEWER_THREADS, TORCH, NATIVE)),
        TOO_MANY_OWN_THREADS(
                row(
                        "Use no more worker threads than CPUs: {setting} per pool, or fewer threads of the JVM's own (`-XX:ActiveProcessorCount={setting}`).",
                        JVM),
                row(
                                "Use no more worker threads than CPUs: {setting} (of an executor, `max_workers={setting}`), or processes with `OMP_NUM_THREADS=1` each.",
                                OWN_THREADS,
                                POOL)
                        .unless(JVM, NATIVE),
                row("Use no more worker threads than CPUs: {setting} in all pools together.", OWN_THREADS, NATIVE),
                row(
                                "Let no more than {setting} of the program's threads compute at once: run the work of one between the steps of another, or move it into a process with CPUs of its own.",
                                OWN_THREADS)
                        .unless(JVM, NATIVE, POOL),
                row("One thread runs the program's own code: the others are pools of libraries. Start with `OMP_NUM_THREADS={setting}`, and look for the"
                                + " library's own setting.")
                        .unless(JVM, OWN_THREADS)),
        WORKER_OF_A_QUEUE(
                row(
                        "Make the work under the lock that the workers share cheaper: adding workers would not help.",
                        TAKES_TURNS),
                row(
                                "Make the worker's hottest lines cheaper, or let it work further ahead (a longer queue): the process has more threads than CPUs already.",
                                TOO_MANY_THREADS)
                        .unless(TAKES_TURNS),
                row(
                                "Make the worker's hottest lines cheaper, or let it work further ahead (a longer queue): the CPUs are busy, more workers would share them.",
                                BUSY_CPUS)
                        .unless(TOO_MANY_THREADS, TAKES_TURNS),
                row("Make the worker's hottest lines cheaper, use more workers, or let them work further ahead (`num_workers`, `prefetch_factor`, a longer"
                                + " queue).")
                        .unless(TOO_MANY_THREADS, BUSY_CPUS, JVM, NATIVE, TAKES_TURNS),
                row(WORK_AHEAD, JVM).unless(TOO_MANY_THREADS, BUSY_CPUS, TAKES_TURNS),
                row(WORK_AHEAD, NATIVE).unless(TOO_MANY_THREADS, BUSY_CPUS, TAKES_TURNS)),
        WORKER_OF_A_POOL(
                row(
                        "Make the work under the lock that the workers share cheaper: adding workers would not help.",
                        TAKES_TURNS),
                row(
                                "Make the worker's hottest lines cheaper, or submit the work earlier and collect it later: the process has more threads than CPUs already.",
                                TOO_MANY_THREADS)
                        .unless(TAKES_TURNS),
                row(
                                "Make the worker's hottest lines cheaper, or submit the work earlier and collect it later: the CPUs are busy, more workers would share them.",
                                BUSY_CPUS)
                        .unless(TOO_MANY_THREADS, TAKES_TURNS),
                row("Make the worker's hottest lines cheaper, submit the work earlier and collect it later, or give the pool more workers (`max_workers`,"
                                + " `processes`; processes where the work is Python).")
                        .unless(TOO_MANY_THREADS, BUSY_CPUS, JVM, TAKES_TURNS),
                row(
                                "Make the worker's hottest lines cheaper, submit the work earlier and collect it later, or give the pool more threads.",
                                JVM)
                        .unless(TOO_MANY_THREADS, BUSY_CPUS, TAKES_TURNS)),
        THROTTLED(
                row("Raise the container's CPU limit, or use fewer threads than it allows (`OMP_NUM_THREADS`).")
                        .unless(JVM),
                row(
                        "Raise the container's CPU limit, or use fewer threads than it allows (`-XX:ActiveProcessorCount`).",
                        JVM)),
        INPUT(
                row(MORE_WORKERS, LOADER_WORKERS).unless(JVM),
                row(TRANSFORM_ON_GPU, LOADER_WORKERS, GPU).unless(JVM),
                row(
                                "Load ahead: `DataLoader(num_workers=N)` with N of the CPUs that are free, `prefetch_factor=4`, `persistent_workers=True`, `pin_memory=True`;"
                                        + " decode and transform on the GPU where workers do not keep up.",
                                TORCH,
                                GPU)
                        .unless(LOADER_WORKERS),
                row(
                                "Load ahead: `DataLoader(num_workers=N)` with N of the CPUs that are free, `prefetch_factor=4`, `persistent_workers=True`.",
                                TORCH)
                        .unless(GPU, LOADER_WORKERS),
                row("Load ahead in other threads, with a queue between them and the model.", JVM),
                row("Load ahead in other threads or processes, with a queue between them and the model.")
                        .unless(TORCH, JVM, LOADER_WORKERS)),
        COMMUNICATION(
                row("Give collectives a stream of their own.")
                        .unless(Fact.BLOCKS)
                        .from(Figure.SERIAL_RATIO, 0.5)
                        .below(Figure.AWAITED_RATIO, 0.5),
                row(
                        "Gather the weights of the next layer while one computes (FSDP's `forward_prefetch=True`, `set_modules_to_forward_prefetch`), or keep them"
                                + " gathered where memory allows (`reshard_after_forward=False`).",
                        FSDP),
                row(
                        "Overlap communication with compute (buckets of gradients, FSDP's prefetch), or communicate less: gradient accumulation, gradients in bfloat16,"
                                + " a larger batch per rank.",
                        TRAINING),
                row(
                                "Overlap communication with compute, or communicate less: smaller tensor-parallel size, larger batch, fused or custom all-reduce (do not"
                                        + " pass `--disable-custom-all-reduce`).",
                                VLLM)
                        .unless(TRAINING),
                row(
                                "Overlap communication with compute, or communicate less: smaller tensor-parallel size, larger batch, fused or custom all-reduce (do not"
                                        + " pass `--disable-custom-all-reduce`).",
                                SGLANG)
                        .unless(TRAINING),
                row("Overlap communication with compute, or communicate less: smaller tensor-parallel size, larger batch, fused or custom all-reduce.")
                        .unless(TRAINING, VLLM, SGLANG),
                row("One rank waiting for another shows here too.")),
        OTHER_ATTENTION(
                row(
                        "This attention is one kernel already. Longer sequences or larger batches fill it better; for these sizes try another kernel:"),
                row("the cuDNN or flash backend of `torch.nn.attention.sdpa_kernel`, FlashAttention or FlashInfer.")
                        .unless(AMD),
                row("`torch.backends.cuda.preferred_rocm_fa_library(\"ck\")`, AITER or FlashAttention for ROCm.", AMD)),
        ELEMENTWISE(
                row(
                                "Fuse the operators between matrix products: `torch.compile`, fused norms, activations and rotary embeddings, no copies to another layout or type"
                                        + " (`.contiguous()`, `.to(dtype)`).",
                                TORCH)
                        .unless(TRAINING),
                row(
                        "Fuse the operators between matrix products: `torch.compile`, fused norms and activations, a fused optimizer (`fused=True`), channels-last convolutions, no"
                                + " copies to another layout or type (`.contiguous()`, `.to(dtype)`).",
                        TORCH,
                        TRAINING),
                row("Fuse the operators between matrix products, and leave out copies to another layout or type.")
                        .unless(TORCH)),
        FUSED_ATTENTION(
                row("Use one kernel for the attention: `F.scaled_dot_product_attention` with the flash or cuDNN backend, FlashAttention or FlashInfer; longer"
                                + " sequences or larger batches fill it better.")
                        .unless(AMD),
                row(
                        "Use one kernel for the attention: `F.scaled_dot_product_attention` with the flash backend, AITER or FlashAttention for ROCm; longer sequences"
                                + " or larger batches fill it better.",
                        AMD)),
        ALLOCATION(
                row(
                        "About each tensor is allocated and freed by the driver: the caching allocator is switched off. Unset `PYTORCH_NO_CUDA_MEMORY_CACHING`"
                                + " (AMD: `PYTORCH_NO_HIP_MEMORY_CACHING`) first.",
                        TORCH,
                        UNCACHED_ALLOCATIONS),
                row(
                                "Buffers are allocated and freed for each kernel: keep them, or use a memory pool (`cudaMallocAsync`).",
                                UNCACHED_ALLOCATIONS)
                        .unless(TORCH),
                row(
                                "Allocate before the steady state and keep it: no `torch.cuda.empty_cache()` in a step, "
                                        + "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` against fragmentation, equal shapes (pad to buckets).",
                                TORCH,
                                NVIDIA)
                        .unless(UNCACHED_ALLOCATIONS),
                row(
                                "Allocate before the steady state and keep it: no `torch.cuda.empty_cache()` in a step, equal shapes (pad to buckets).",
                                TORCH)
                        .unless(NVIDIA, UNCACHED_ALLOCATIONS),
                row("Allocate before the steady state and keep it: equal shapes (pad to buckets), a memory pool that keeps what is freed.")
                        .unless(TORCH, UNCACHED_ALLOCATIONS));

        @SuppressWarnings("ImmutableEnumChecker") // Lists of List.of do not change.
        private final List<Row> rows;

        Topic(Row... rows) {
            this.rows = List.of(rows);
        }
    }

    /** A number of a finding that its advice depends on. */
    enum Figure {
        /** Mean length of the finding's calls, in ns. */
        CALL_NS,
        /** Mean size of the finding's copies. */
        COPY_BYTES,
        /** The part of the finding's cost that is copies. */
        COPIED_RATIO,
        /** The part of the finding's cost that is on a stream which also computes. */
        SERIAL_RATIO,
        /** The part of communication that adds up what the next layer needs, so that nothing hides it. */
        AWAITED_RATIO,
        /** The part of the finding's cost that follows waits which emptied the device's queue. */
        DRAINED_RATIO,
        /** 1 for what happens outside the steps, once. */
        ONE_OFF
    }

    /**
     * One piece of advice and its conditions.
     *
     * @param least what figures of the finding must reach; a finding without the figure does not
     * @param below what figures of the finding must stay below; a finding without the figure does
     */
    record Row(String text, Set<Fact> when, Set<Fact> unless, Map<Figure, Double> least, Map<Figure, Double> below) {
        boolean fits(Set<Fact> facts, Map<Figure, Double> figures) {
            return facts.containsAll(when)
                    && unless.stream().noneMatch(facts::contains)
                    && least.entrySet().stream()
                            .allMatch(one ->
                                    figures.getOrDefault(one.getKey(), Double.NEGATIVE_INFINITY) >= one.getValue())
                    && below.entrySet().stream()
                            .allMatch(one ->
                                    figures.getOrDefault(one.getKey(), Double.NEGATIVE_INFINITY) < one.getValue());
        }

        Row unless(Fact... facts) {
            return new Row(text, when, setOf(facts), least, below);
        }

        Row from(Figure figure, double limit) {
            return new Row(text, when, unless, Map.of(figure, limit), below);
        }

        Row below(Figure figure, double limit) {
            return new Row(text, when, unless, least, Map.of(figure, limit));
        }
    }

    /** Above this size, a copy's time is its bytes' and not its start's. */
    private static final double SMALL_COPY_BYTES = 1 << 20;

    /** A part of a cost that advice may be about. */
    private static final double WORTH_ADVICE = 0.05;

    private static final String FEWER_THREADS =
            "Give each call more work (a larger batch), or let the library use fewer threads, {setting}: that costs hardly any speed, and leaves CPUs for another"
                    + " instance.";

    private static final String WITHOUT_GRAPH =
            "First run the model under `torch.inference_mode()`: it records a graph for gradients that nothing uses.";

    private static final String MORE_WORKERS =
            "The DataLoader has worker processes, and they do not keep up, or have just been started: keep them (`persistent_workers=True`), use more of"
                    + " them (`num_workers`), let them work further ahead (`prefetch_factor`), and make a sample cheaper.";

    private static final String TRANSFORM_ON_GPU = "Or decode and transform on the GPU.";

    private static final String WORK_AHEAD =
            "Make the worker's hottest lines cheaper, use more workers, or let them work further ahead (a longer queue).";

    private AdviceTable() {}

    /** Returns the advice of a topic for a recording. */
    static String of(Topic topic, Analysis analysis) {
        return of(topic, Fact.of(analysis), Map.of());
    }

    /** Returns the advice of a topic for facts of a recording and figures of a finding. */
    static String of(Topic topic, Set<Fact> facts, Map<Figure, Double> figures) {
        return topic.rows.stream()
                .filter(row -> row.fits(facts, figures))
                .map(Row::text)
                .collect(Collectors.joining(" "));
    }

    private static Row row(String text, Fact... when) {
        return new Row(text, setOf(when), Set.of(), Map.of(), Map.of());
    }

    private static Set<Fact> setOf(Fact... facts) {
        Set<Fact> set = EnumSet.noneOf(Fact.class);
        set.addAll(Arrays.asList(facts));
        return set;
    }
}

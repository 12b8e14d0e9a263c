package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.LedgerClass;

/** What helps against idle time of a cause: the flag or call to change. */
final class Advice {
    private Advice() {}

    /** Returns what helps in this program: a recording that is a run already must not be told to run. */
    static String against(LedgerClass cause, Analysis analysis) {
        boolean run = analysis.isRun();
        if (cause == LedgerClass.WAIT_UNKNOWN && run) {
            return "Look at what works while this thread waits (see the evidence and the table of threads), and make that faster or overlap it.";
        }
        if (cause == LedgerClass.UNATTRIBUTED && run) {
            return "Name the parts of the program with `scope(\"...\")`, in Python or Java: no evidence explains this time.";
        }
        if (cause == LedgerClass.FRAMEWORK_COMPILE_LOAD && analysis.devices().isEmpty()) {
            return "Load and compile before serving: warm up every shape, and keep compiled caches.";
        }
        return against(cause);
    }

    private static String against(LedgerClass cause) {
        return switch (cause) {
            case CPU_TOKENIZATION ->
                "Tokenize with a fast tokenizer (`use_fast=True`), in batches, and off the critical path: "
                        + "in another process, or for the next batch while the model computes.";
            case CPU_PREPROCESSING ->
                "Move preprocessing off the critical path: `DataLoader(num_workers=N, prefetch_factor=2)`, "
                        + "use a fast image processor (`use_fast=True`), or do it on the GPU (`torchvision.transforms.v2` on device tensors).";
            case CPU_SERIALIZATION ->
                "Detokenize and serialise in another thread or process, or once per batch rather than per token.";
            case CPU_PYTHON ->
                "Take the Python work out of the step: vectorise it, hoist it, or run it for the next step while the model computes.";
            case CPU_CODE ->
                "Make the hottest lines cheaper, or run them for the next request while the model computes.";
            case FRAMEWORK_PYTHON, FRAMEWORK_DISPATCH, FRAMEWORK_LAUNCH, FRAMEWORK_LAUNCH_LATENCY ->
                "Launch less: "
                        + "`torch.compile(mode=\"reduce-overhead\")` or CUDA graphs, a larger batch; in vLLM drop `--enforce-eager`, in SGLang keep CUDA graphs on.";
            case FRAMEWORK_ALLOCATION ->
                "Allocate before the steady state and keep it: no `torch.cuda.empty_cache()` in a step, "
                        + "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` against fragmentation, equal shapes (pad to buckets), a memory pool (`cudaMallocAsync`) in C++.";
            case FRAMEWORK_COMPILE_LOAD ->
                "Load and compile before serving: warm up every shape, keep compiled caches, load modules eagerly "
                        + "(`CUDA_MODULE_LOADING=EAGER`).";
            case FRAMEWORK_SYNC_RETURN ->
                "Do not wait for the device in each step: no `.item()`, `.cpu()` or `synchronize()` there; copy with "
                        + "`non_blocking=True` and read one step later.";
            case WAIT_RUN_QUEUE ->
                "Give the thread a CPU: fewer worker threads (`OMP_NUM_THREADS`, `torch.set_num_threads`), or a higher CPU limit.";
            case WAIT_GIL -> "Move the other thread's Python work into another process.";
            case WAIT_LOCK -> "Hold the lock shorter, or split it.";
            case WAIT_IO -> "Read ahead in another thread, or keep the data in memory.";
            case WAIT_SOCKET ->
                "The program waits for requests or answers: send more at once, or accept that the GPU has nothing to do.";
            case WAIT_TIMER -> "The program sleeps: wait for an event rather than polling with sleep.";
            case WAIT_PAGE_FAULT -> "Touch memory before the timed part, use huge pages, or lower memory pressure.";
            case WAIT_GC ->
                "Call `gc.freeze()` after loading, and `gc.disable()` with manual collection between requests.";
            case WAIT_CHILD_PROCESS ->
                "The program waits for a child process: look at that process, or overlap the two.";
            case WAIT_UNKNOWN ->
                "The thread waits and no record says for whom: record with `inferscope run` so that the other side is seen.";
            case GPU_DEPENDENCY ->
                "The device waits for itself: use more than one stream, fewer event waits, or CUDA graphs.";
            case PROFILER -> "The profiler causes this: record without stacks and shapes.";
            default ->
                "Record more: no evidence explains this time. `inferscope run -- COMMAND` sees the host side too.";
        };
    }
}

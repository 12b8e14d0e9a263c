package io.inferscope.batch;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How to trace; equal for all pairs of a batch.
 *
 * @param home the distribution, which holds {@code python/}
 * @param python the interpreter
 * @param output the folder of all results
 * @param framework {@code huggingface} or {@code vllm}
 * @param device {@code cpu}, {@code cuda} or {@code cuda:N}
 * @param dtype {@code auto} for the checkpoint's own, or a type of PyTorch
 * @param tensorParallelSize number of devices over which vLLM spreads a model
 * @param tracerPath a folder with tracers of the user's own, null for none
 * @param trustRemoteCode whether a model's own code may run
 * @param timeoutNs how long a tracer may take
 * @param downloadTimeoutNs how long a download may take
 * @param memoryLimitBytes how much memory a tracer with all its descendants may use
 * @param environment additional environment variables by layer: {@code common}, {@code offline}, a framework, {@code
 *     tracer.NAME}
 */
public record TraceOptions(
        Path home,
        Path python,
        Path output,
        String framework,
        String device,
        String dtype,
        int tensorParallelSize,
        @Nullable Path tracerPath,
        boolean trustRemoteCode,
        long timeoutNs,
        long downloadTimeoutNs,
        long memoryLimitBytes,
        Map<String, Map<String, String>> environment) {}

package io.inferscope.collectors.cupti;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The names of the calls of one domain, the runtime's or the driver's, by CUPTI's callback ids. */
final class CallNames {
    /** Above the largest id of either domain. */
    static final int MAX_CALLS = 4096;

    /** Frequent calls that take almost no time and launch nothing, which the CUDA agent also leaves out. */
    private static final List<String> NOISY = List.of(
            "cudaGetDevice",
            "cudaSetDevice",
            "cudaGetLastError",
            "cudaPeekAtLastError",
            "cuCtxGetCurrent",
            "cuCtxSetCurrent",
            "cuCtxGetDevice",
            "cuDeviceGetAttribute",
            "cuDevicePrimaryCtxGetState",
            "cuKernelGetAttribute",
            "cuFuncGetAttribute",
            "cuDeviceGet",
            "cuDeviceGetCount",
            "cuGetProcAddress",
            "cuModuleGetFunction",
            "cuKernelGetFunction",
            "cudaDeviceGetAttribute",
            "cudaFuncGetAttributes",
            "cuCtxPushCurrent",
            "cuCtxPopCurrent",
            "cuGetExportTable");

    private final IntFunction<@Nullable String> cupti;
    private final boolean runtime;
    private final Map<Integer, Call> calls = new HashMap<>();

    /**
     * A call.
     *
     * @param name without CUPTI's version suffix of runtime calls; empty if unknown
     * @param isNoisy whether to leave it out
     */
    record Call(String name, boolean isNoisy) {
        static final Call UNKNOWN = new Call("", false);
    }

    /** {@code cupti} returns CUPTI's name of an id, such as {@code cudaLaunchKernel_v7000}, null for one that it does not know. */
    CallNames(IntFunction<@Nullable String> cupti, boolean runtime) {
        this.cupti = cupti;
        this.runtime = runtime;
    }

    /** Returns the call of an id. */
    Call of(int callback) {
        return callback < 0 || callback >= MAX_CALLS ? Call.UNKNOWN : calls.computeIfAbsent(callback, this::lookUp);
    }

    /** A name matches a noisy call if only CUPTI's version suffix, or nothing, follows. */
    private Call lookUp(int callback) {
        String name = cupti.apply(callback);
        if (name == null) {
            return Call.UNKNOWN;
        }
        boolean noisy = NOISY.stream().anyMatch(call -> name.equals(call) || name.startsWith(call + "_v"));
        return new Call(runtime ? name.replaceFirst("_v\\d.*", "") : name, noisy);
    }
}

package io.inferscope.collectors.cupti;

import io.inferscope.collectors.os.NativeFunctions;
import java.io.IOException;
import java.util.List;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.global.cupti;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.jspecify.annotations.Nullable;

/**
 * The functions of a loaded libcupti. They are bound lazily, and a call of a missing function would end the process, so
 * each is looked up before its first call.
 */
final class Cupti {
    /** The kinds of records; the first one is required. */
    private static final List<Integer> KINDS = List.of(
            cupti.CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
            cupti.CUPTI_ACTIVITY_KIND_DEVICE,
            cupti.CUPTI_ACTIVITY_KIND_CONTEXT,
            cupti.CUPTI_ACTIVITY_KIND_MEMCPY,
            cupti.CUPTI_ACTIVITY_KIND_MEMCPY2,
            cupti.CUPTI_ACTIVITY_KIND_MEMSET,
            cupti.CUPTI_ACTIVITY_KIND_RUNTIME,
            cupti.CUPTI_ACTIVITY_KIND_DRIVER,
            cupti.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
            cupti.CUPTI_ACTIVITY_KIND_OVERHEAD,
            cupti.CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
            cupti.CUPTI_ACTIVITY_KIND_CUDA_EVENT,
            cupti.CUPTI_ACTIVITY_KIND_MARKER);

    private static final List<String> NEEDED = List.of(
            "cuptiActivityRegisterCallbacks",
            "cuptiActivityEnable",
            "cuptiActivityDisable",
            "cuptiActivityFlushAll",
            "cuptiActivityGetNextRecord",
            "cuptiActivityGetNumDroppedRecords",
            "cuptiGetTimestamp");

    private final String file;
    private final NativeFunctions functions;
    private final LongPointer stamp = new LongPointer(1);
    private final PointerPointer<BytePointer> text = new PointerPointer<>(1);

    /** {@code file} is loaded already. */
    Cupti(String file) throws IOException {
        this.file = file;
        functions = NativeFunctions.of(file);
        for (String name : NEEDED) {
            if (!functions.has(name)) {
                throw new IOException(file + " has no function " + name);
            }
        }
    }

    /** Returns the library's file. */
    String file() {
        return file;
    }

    /** Makes CUPTI deliver its records to {@code buffers}, instead of their previous receiver. */
    void register(ActivityBuffers buffers) throws IOException {
        int result = cupti.cuptiActivityRegisterCallbacks(buffers.request(), buffers.complete());
        if (result != cupti.CUPTI_SUCCESS) {
            throw new IOException(refusal("cuptiActivityRegisterCallbacks", 0, result));
        }
    }

    /** Receives refused kinds without which the recording continues. */
    interface Refused {
        void say(String why);
    }

    /**
     * Turns records on.
     *
     * @throws IOException if kernels are refused; then no records are on
     */
    void enable(Refused refused) throws IOException {
        for (int kind : KINDS) {
            int result = cupti.cuptiActivityEnable(kind);
            if (result != cupti.CUPTI_SUCCESS) {
                String why = refusal("cuptiActivityEnable", kind, result);
                if (kind == KINDS.get(0)) {
                    throw new IOException(why);
                }
                refused.say(why);
            }
        }
    }

    /** Turns records off. */
    void disable() {
        KINDS.forEach(cupti::cuptiActivityDisable);
    }

    /** Turns off the records of frequent, uninformative calls. */
    void silence(CallNames runtime, CallNames driver) {
        boolean runtimeToo = functions.has("cuptiActivityEnableRuntimeApi");
        boolean driverToo = functions.has("cuptiActivityEnableDriverApi");
        for (int callback = 1; callback < CallNames.MAX_CALLS; callback++) {
            if (runtimeToo && runtime.of(callback).isNoisy()) {
                cupti.cuptiActivityEnableRuntimeApi(callback, (byte) 0);
            }
            if (driverToo && driver.of(callback).isNoisy()) {
                cupti.cuptiActivityEnableDriverApi(callback, (byte) 0);
            }
        }
    }

    /** Requests the full buffers, or all. CUPTI returns them on this thread or on its own. */
    void flush(boolean all) {
        cupti.cuptiActivityFlushAll(all ? 1 : 0); // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
    }

    /** Returns CUPTI's clock, 0 when it cannot be read. */
    long now() {
        return cupti.cuptiGetTimestamp(stamp) == cupti.CUPTI_SUCCESS ? stamp.get() : 0;
    }

    /** Returns the version of CUPTI's interface, 0 if not known. */
    int version() {
        try (IntPointer version = new IntPointer(1)) {
            version.put(0);
            return functions.refuses("cuptiGetVersion", () -> cupti.cuptiGetVersion(version)) ? 0 : version.get();
        }
    }

    /** Returns CUPTI's name of a call of the runtime or the driver, null for an unknown one. */
    @Nullable
    String callName(boolean runtime, int callback) {
        int domain = runtime ? cupti.CUPTI_CB_DOMAIN_RUNTIME_API : cupti.CUPTI_CB_DOMAIN_DRIVER_API;
        return functions.refuses("cuptiGetCallbackName", () -> cupti.cuptiGetCallbackName(domain, callback, text))
                ? null
                : CuptiTexts.text(text.get(BytePointer.class, 0));
    }

    /** Returns how many records CUPTI has dropped since the last call. Callable from any thread. */
    static long dropped(CUctx_st context, int stream) {
        try (SizeTPointer count = new SizeTPointer(1)) {
            count.put(0L);
            int result = cupti.cuptiActivityGetNumDroppedRecords(context, stream, count);
            return result == cupti.CUPTI_SUCCESS ? count.get() : 0;
        }
    }

    private String refusal(String call, int kind, int result) {
        boolean nameless = functions.refuses("cuptiGetResultString", () -> cupti.cuptiGetResultString(result, text));
        String name = nameless ? "" : " " + CuptiTexts.text(text.get(BytePointer.class, 0));
        return "libcupti refused " + call + "(" + kind + "): error " + result + name;
    }
}

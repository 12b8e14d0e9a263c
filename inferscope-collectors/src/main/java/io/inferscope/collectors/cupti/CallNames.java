package io.inferscope.collectors.cupti;

import io.inferscope.timeline.files.KnowledgeTable;
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
    static final List<String> NOISY = KnowledgeTable.read(CallNames.class, "noisy-calls.tsv", row -> row[0]);

    /** The suffix of calls in programs whose default stream is the thread's own. */
    private static final String OWN_STREAM = "_pt(sz|ds).*";

    private final IntFunction<@Nullable String> cupti;
    private final boolean runtime;
    private final Map<Integer, Call> calls = new HashMap<>();

    /**
     * A call.
     *
     * @param name without CUPTI's suffixes, such as {@code _ptsz_v7000}; empty if unknown
     * @param isNoisy whether to leave it out
     */
    record Call(String name, boolean isNoisy) {
        static final Call UNKNOWN = new Call("", false);
    }

    /**
     * {@code cupti} returns CUPTI's name of an id, such as {@code cudaLaunchKernel_v7000}, null for one that it does
     * not know.
     */
    CallNames(IntFunction<@Nullable String> cupti, boolean runtime) {
        this.cupti = cupti;
        this.runtime = runtime;
    }

    Call of(int callback) {
        return callback < 0 || callback >= MAX_CALLS ? Call.UNKNOWN : calls.computeIfAbsent(callback, this::lookUp);
    }

    /**
     * A name matches a noisy call if nothing follows, or only CUPTI's suffix of the version or of streams per thread.
     */
    private Call lookUp(int callback) {
        String name = cupti.apply(callback);
        if (name == null) {
            return Call.UNKNOWN;
        }
        boolean noisy = NOISY.stream()
                .anyMatch(call -> name.equals(call) || name.startsWith(call + "_v") || name.startsWith(call + "_pt"));
        String plain = name.replaceFirst(OWN_STREAM, "");
        return new Call(runtime ? plain.replaceFirst("_v\\d.*", "") : plain, noisy);
    }
}

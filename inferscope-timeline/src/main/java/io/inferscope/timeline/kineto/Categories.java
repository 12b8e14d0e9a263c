package io.inferscope.timeline.kineto;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.importer.CopyNames;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Kineto's categories, in present and past spellings and for every accelerator, and the kind of row of each: Kineto's
 * ActivityType.h and the backends outside it (ROCm, MUSA). Kernels and copies of all accelerators have the same
 * categories; calls of a runtime do not.
 */
final class Categories {
    private static final Map<String, RowKind> KINDS = new HashMap<>();
    private static final Map<RowKind, String> WRITTEN = new java.util.EnumMap<>(RowKind.class);
    /** Whatever a control processor of an MTIA did, told apart by name. */
    private static final String DEVICE_EVENTS = "mtia_ccp_events";

    /** Ascend's: one thread hands an operator to another. */
    private static final String ENQUEUE = "enqueue";

    private static final String DEQUEUE = "dequeue";

    /** Prefixes of accelerators, for the categories of theirs that are not listed here. */
    private static final Pattern OTHER_ACCELERATOR =
            Pattern.compile("(mtia|xpu|hpu|npu|ipu|musa|privateuse1|glow|cuda_profiler|insight)[_ ].*");

    /** What PyTorch's profiler calls a collection of Python's garbage: {@code record_python_gc_info}. */
    private static final String COLLECTION = "Python GC";

    private static final String WRITTEN_OPERATOR = "cpu_op";

    static {
        known(RowKind.KERNEL, "kernel", DEVICE_EVENTS);
        known(RowKind.MEMCPY_OTHER, "gpu_memcpy", "memcpy");
        known(RowKind.MEMSET, "gpu_memset", "memset");
        known(
                RowKind.RUNTIME_CALL,
                "cuda_runtime",
                "runtime",
                "hip_runtime",
                "xpu_runtime",
                "mtia_runtime",
                "musa_runtime",
                "privateuse1_runtime",
                "glow_runtime",
                "hpu_op");
        known(RowKind.DRIVER_CALL, "cuda_driver", "driver", "xpu_driver", "musa_driver", "privateuse1_driver");
        known(RowKind.OPERATOR, WRITTEN_OPERATOR, "operator", ENQUEUE, DEQUEUE);
        known(RowKind.ANNOTATION, "user_annotation");
        known(RowKind.HOST_FUNCTION, "inferscope.host_function");
        known(RowKind.DEVICE_ANNOTATION, "gpu_user_annotation");
        known(RowKind.PYTHON_FUNCTION, "python_function", VizTracerNames.CATEGORY);
        // HTA leaves out rows with this category, in this spelling only.
        known(RowKind.PROFILER_WINDOW, "Trace", "trace");
        known(RowKind.PROFILER_OVERHEAD, "overhead");
        known(RowKind.DEVICE_SYNC, "cuda_sync", "xpu_sync", "musa_sync");
        known(RowKind.INSTANT, "cpu_instant_event");
        known(RowKind.PROCESS, "inferscope.process");
        known(RowKind.THREAD_STATE, "inferscope.thread_state");
        known(RowKind.GC, "inferscope.gc");
        known(RowKind.STACK_SAMPLE, "inferscope.stack_sample");
        known(RowKind.REQUEST, "inferscope.request");
        known(RowKind.HAND_OVER, "inferscope.hand_over");
        known(RowKind.COUNTER, "inferscope.counter");
        known(RowKind.OTHER, "inferscope.other");
    }

    private Categories() {}

    private static void known(RowKind kind, String written, String... alsoRead) {
        WRITTEN.put(kind, written);
        KINDS.put(written, kind);
        for (String spelling : alsoRead) {
            KINDS.put(spelling, kind);
        }
    }

    /** Returns the kind of a category, null for an unknown one. */
    static @Nullable RowKind kind(String category) {
        RowKind kind = KINDS.get(category);
        return kind != null ? kind : ofSpelling(category.toLowerCase(Locale.ROOT));
    }

    /** The format allows several categories, divided by commas: the first one that is known counts. */
    private static @Nullable RowKind ofSpelling(String category) {
        RowKind kind = null;
        for (int start = 0; kind == null && start <= category.length(); ) {
            int comma = category.indexOf(',', start);
            int end = comma < 0 ? category.length() : comma;
            kind = KINDS.get(category.substring(start, end).strip());
            start = end + 1;
        }
        return kind;
    }

    /**
     * Returns the kind of a range from its category, name and copy kind. A range of an unknown category is an
     * annotation or work of another accelerator.
     */
    static RowKind kind(String category, String name, String copyKind) {
        return kind(kind(category), category, name, copyKind);
    }

    /** Returns the same where the kind of the category is known; null if it has none. */
    static RowKind kind(@Nullable RowKind kind, String category, String name, String copyKind) {
        if (kind == null) {
            return isOtherAccelerator(category) ? RowKind.OTHER : RowKind.ANNOTATION;
        }
        return switch (kind) {
            case MEMCPY_OTHER -> direction(name, copyKind);
            case OPERATOR -> !category.equals(WRITTEN_OPERATOR) && isScope(name) ? RowKind.ANNOTATION : kind;
            case KERNEL -> category.equals(DEVICE_EVENTS) ? DeviceTasks.kind(name + ' ' + copyKind) : kind;
            case RUNTIME_CALL, DRIVER_CALL -> name.contains("GraphLaunch") ? RowKind.GRAPH_LAUNCH : kind;
            case PYTHON_FUNCTION -> name.equals(COLLECTION) ? RowKind.GC : kind;
            default -> kind;
        };
    }

    /**
     * Returns whether an event is a scope of PyTorch itself, such as {@code ProfilerStep#3} or
     * {@code enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__}. Up to PyTorch 1.10 scopes were operators.
     */
    private static boolean isScope(String name) {
        return name.indexOf('#') > 0 && !name.contains("::");
    }

    /** Returns whether events of a category have correlation ids that join no call to device work. */
    static boolean isOfQueue(String category) {
        return category.equals(ENQUEUE) || category.equals(DEQUEUE);
    }

    /** Returns the kinds of memory in the name of a copy, such as {@code Pageable -> Device}; null for none. */
    static @Nullable String memoryKinds(String name) {
        int open = name.indexOf('(');
        int close = name.indexOf(')', open + 1);
        return open >= 0 && close > open ? name.substring(open + 1, close) : null;
    }

    /** Returns whether an unknown category is of an accelerator rather than a host range of some other tool. */
    static boolean isOtherAccelerator(String category) {
        return OTHER_ACCELERATOR.matcher(category.toLowerCase(Locale.ROOT)).matches();
    }

    /**
     * Returns whether an instant is one of the two that Kineto's output_json.cpp puts on separate tracks, without a
     * category.
     */
    static boolean isProfilerMark(TraceEvent instant) {
        String name = instant.name();
        return instant.category().isEmpty() && (name.startsWith("Iteration Start") || name.equals("Record Window End"));
    }

    static String written(RowKind kind) {
        if (kind.isMemcpy()) {
            return "gpu_memcpy";
        }
        return kind == RowKind.GRAPH_LAUNCH ? "cuda_runtime" : WRITTEN.getOrDefault(kind, "inferscope.other");
    }

    /** Returns how Kineto names a copy's direction in the argument {@code kind}. */
    static String kindText(RowKind memcpy) {
        return switch (memcpy) {
            case MEMCPY_H2D -> "HtoD";
            case MEMCPY_D2H -> "DtoH";
            case MEMCPY_D2D -> "DtoD";
            case MEMCPY_P2P -> "PtoP";
            default -> "";
        };
    }

    /** Returns the direction of a copy from its name and the tool's {@code kind} argument. */
    static RowKind direction(String name, String kind) {
        return CopyNames.of(name + ' ' + kind);
    }
}

package io.inferscope.collectors.run;

import io.inferscope.timeline.spool.CuptiDefects;
import java.util.Locale;

/**
 * The device work that the CUDA agent records.
 *
 * @param isWanted whether programs that use CUDA load the agent
 * @param afterNs when recording begins, after the command's start
 * @param windowNs recorded length of each period; 0 for all of it
 * @param periodNs from the start of a window to that of the next; 0 without windows
 * @param newest whether to keep the newest records instead of the oldest if space runs out
 * @param graphs how CUDA graphs are recorded
 * @param detail what is recorded beside the device's work
 * @param preloads whether hooks of launches may be preloaded
 * @param hostFunctions whether functions of the host that streams run are recorded
 * @param mostRatio how much longer it may make launches, such as 0.1; for {@link Detail#AUTO}
 */
public record GpuRecording(
        boolean isWanted,
        long afterNs,
        long windowNs,
        long periodNs,
        boolean newest,
        Graphs graphs,
        Detail detail,
        boolean preloads,
        boolean hostFunctions,
        double mostRatio) {
    public static final GpuRecording NONE =
            new GpuRecording(false, 0, 0, 0, false, Graphs.NODES, Detail.FULL, false, false, 0);

    /** Everything is. */
    public static final GpuRecording ALL =
            new GpuRecording(true, 0, 0, 0, false, Graphs.NODES, Detail.FULL, false, false, 0);

    /** What is recorded beside kernels, copies and fills, from most to least. */
    public enum Detail {
        /** All that CUPTI records: calls, waits, events, ranges. */
        FULL,
        /** Calls that launch or wait, by switches of CUPTI for single calls. */
        CALLS,
        /** The same, by preloaded hooks. */
        LAUNCHES,
        /** Nothing. */
        KERNELS,
        /** Everything at first, then as much as the program's launches permit; between windows nothing, for comparison. */
        AUTO
    }

    /** Returns whether the hooks of launches are of use. */
    boolean needsHooks() {
        return detail == Detail.LAUNCHES || detail == Detail.AUTO;
    }

    /** The records of a replay of a CUDA graph. */
    public enum Graphs {
        /** One record per kernel. */
        NODES,
        /** One record per replay. */
        WHOLE
    }

    /** Checks that a window fits its period. */
    public GpuRecording {
        if (afterNs < 0 || windowNs < 0 || periodNs < windowNs || (windowNs == 0) != (periodNs == 0)) {
            throw new IllegalArgumentException(
                    "a window of " + windowNs + " ns in each " + periodNs + " ns, after " + afterNs + " ns");
        }
    }

    /** Sets the agent's variables, for a command that starts at a time of CLOCK_MONOTONIC. */
    void prepare(ChildEnvironment environment, long startNs) {
        if (afterNs > 0 || windowNs > 0) {
            environment.set(
                    "INFERSCOPE_GPU_WINDOWS",
                    (startNs + " " + afterNs + " " + windowNs + " " + periodNs).getBytes(NativeText.charset()));
        }
        if (newest) {
            environment.set("INFERSCOPE_GPU_KEEP", "newest".getBytes(NativeText.charset()));
        }
        if (graphs != Graphs.NODES) {
            environment.set("INFERSCOPE_GPU_GRAPHS", word(graphs));
        }
        if (hostFunctions) {
            environment.set("INFERSCOPE_GPU_HOST_FUNCTIONS", "1".getBytes(NativeText.charset()));
        }
        if (detail != Detail.FULL) {
            environment.set("INFERSCOPE_GPU_DETAIL", word(detail));
            if (detail == Detail.AUTO) {
                environment.set(
                        "INFERSCOPE_GPU_OVERHEAD",
                        Long.toString(Math.round(mostRatio * 10_000)).getBytes(NativeText.charset()));
            }
            CuptiDefects.ALL.stream()
                    .filter(defect -> defect.graphKernels() > 0)
                    .findFirst()
                    .ifPresent(defect -> environment.set(
                            "INFERSCOPE_GPU_GRAPH_LIMIT",
                            (defect.firstApi() + " " + defect.fixedApi() + " " + defect.graphKernels())
                                    .getBytes(NativeText.charset())));
        }
    }

    private static byte[] word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).getBytes(NativeText.charset());
    }
}

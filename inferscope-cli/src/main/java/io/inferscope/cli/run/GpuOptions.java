package io.inferscope.cli.run;

import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.DurationText;
import io.inferscope.cli.common.Options;
import io.inferscope.collectors.run.GpuRecording;
import io.inferscope.collectors.run.GpuRecording.Detail;
import io.inferscope.collectors.run.GpuRecording.Graphs;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/** Options that limit the recording of device work; without them all of it is recorded. */
final class GpuOptions extends Options {
    /** With --gpu-detail auto: long enough for some steps, short enough for a decision within ten seconds. */
    private static final long WINDOW_NS = 1_000_000_000;

    private final OptionSpec off =
            flag("--no-cuda-agent", "Do not load the CUDA agent into programs that use CUDA. Implied by --ops.");

    private final OptionSpec window = option(
            "--gpu-window=TIME/TIME",
            String.class,
            "Record device work only at the start of each period, for long runs: 5s/60s is 5 s of every minute."
                    + " The last whole window with device work is explained; analyze --judge gpu-window-N explains another.");

    private final OptionSpec after = option(
            "--gpu-after=TIME",
            String.class,
            "Record device work from TIME after the start on, such as 90s, and explain that part.");

    private final OptionSpec keep = add(CommandSpecs.builder(
                    "--gpu-keep=oldest|newest",
                    String.class,
                    "Which records of device work stay when --trace-size-mb is reached (default: oldest).")
            .converters(GpuOptions::end)
            .build());

    private final OptionSpec graphs = add(CommandSpecs.builder(
                    "--gpu-graphs=nodes|whole",
                    Graphs.class,
                    "Record each kernel of CUDA graphs (nodes, the default), or each replay as a whole (whole), which costs replays of very small kernels less.")
            .converters(GpuOptions::graphs)
            .build());

    private final OptionSpec detail = add(CommandSpecs.builder(
                    "--gpu-detail=full|calls|launches|kernels|off|auto",
                    String.class,
                    "What to record of programs that use CUDA: all that CUPTI records (full, the default), kernels, copies and fills with launches as CUPTI"
                            + " records them alone (calls), by preloaded hooks (launches) or without (kernels), or nothing (off). auto: in windows, and less in each later one until"
                            + " launches take no more than --overhead longer than between windows. Less is meant to slow launch-bound"
                            + " programs less; by how much was not measured on a GPU yet.")
            .converters(GpuOptions::detail)
            .build());

    private final OptionSpec hostFunctions = flag(
            "--gpu-host-functions",
            "Also record functions of the host that streams run (cudaLaunchHostFunc) and idle time that they cause: with CUPTI of CUDA 13.1 and"
                    + " later, and --gpu-detail full. Not tried on a GPU yet.");

    private final OptionSpec noPreload = flag(
            "--no-preload",
            "With --gpu-detail launches or auto: preload nothing, so that launches are neither recorded nor counted.");

    GpuOptions(CommandSpec spec) {
        super(spec);
    }

    private static String detail(String word) {
        if (!List.of("full", "calls", "launches", "kernels", "off", "auto").contains(word)) {
            throw new TypeConversionException(
                    "expected full, calls, launches, kernels, off or auto, not \"" + word + "\"");
        }
        return word;
    }

    private static Boolean end(String word) {
        if (!word.equals("oldest") && !word.equals("newest")) {
            throw new TypeConversionException("expected oldest or newest, not \"" + word + "\"");
        }
        return word.equals("newest");
    }

    private static Graphs graphs(String word) {
        for (Graphs one : Graphs.values()) {
            if (one.name().toLowerCase(Locale.ROOT).equals(word)) {
                return one;
            }
        }
        throw new TypeConversionException("expected nodes or whole, not \"" + word + "\"");
    }

    /**
     * Returns the settings. Refuses invalid windows.
     *
     * @param elsewhere whether another recorder of device work was requested
     * @param mostRatio how much longer recording may make launches
     */
    GpuRecording recording(boolean elsewhere, double mostRatio) {
        long afterNs = ns("--gpu-after", after.getValue());
        long[] lengths = windows(window);
        boolean newest = keep.getValue() != null && Boolean.TRUE.equals(keep.getValue());
        Graphs how = graphs.getValue() == null ? Graphs.NODES : graphs.getValue();
        String level = detail.getValue() == null ? "full" : detail.getValue();
        if (level.equals("auto") && lengths[0] == 0) {
            lengths = new long[] {WINDOW_NS, 2 * WINDOW_NS};
        }
        boolean without = isSet(off) || level.equals("off");
        boolean limited = afterNs > 0
                || lengths[0] > 0
                || newest
                || how != Graphs.NODES
                || isSet(hostFunctions)
                || !List.of("full", "off").contains(level);
        if (limited && (without || elsewhere)) {
            throw misuse(
                    "--gpu-window, --gpu-after, --gpu-keep, --gpu-graphs, --gpu-host-functions and --gpu-detail need the CUDA agent: leave out "
                            + (elsewhere ? "--ops" : level.equals("off") ? "--gpu-detail off" : "--no-cuda-agent"));
        }
        if (isSet(hostFunctions) && !List.of("full", "auto").contains(level)) {
            throw misuse("--gpu-host-functions with --gpu-detail " + level
                    + ": expected full or auto, which record what host functions hold up");
        }
        if (level.equals("calls") && (afterNs > 0 || lengths[0] > 0)) {
            throw misuse(
                    "--gpu-detail calls with --gpu-window or --gpu-after: expected one of them, because CUPTI's switches of single calls work from"
                            + " the program's start on only");
        }
        if (how == Graphs.WHOLE && (afterNs > 0 || lengths[0] > 0)) {
            throw misuse(
                    "--gpu-graphs whole with --gpu-window, --gpu-after or --gpu-detail auto: expected one of them, because CUPTI crashes on"
                            + " graphs that were made while it did not record");
        }
        return without || elsewhere
                ? GpuRecording.NONE
                : new GpuRecording(
                        true,
                        afterNs,
                        lengths[0],
                        lengths[1],
                        newest,
                        how,
                        Detail.valueOf(level.toUpperCase(Locale.ROOT)),
                        !isSet(noPreload),
                        isSet(hostFunctions),
                        mostRatio);
    }

    private long ns(String option, String text) {
        try {
            return text == null ? 0 : DurationText.ns(text);
        } catch (IllegalArgumentException e) {
            throw misuse(option + ": " + e.getMessage());
        }
    }
}

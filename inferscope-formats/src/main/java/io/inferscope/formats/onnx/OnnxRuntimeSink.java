package io.inferscope.formats.onnx;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.importer.CopyNames;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.EventTimes;
import io.inferscope.timeline.traceevent.TraceEvent;
import io.inferscope.timeline.traceevent.TraceEventReader;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Turns ONNX Runtime's events into rows. Categories and names are those of onnxruntime/core/common/profiler_common.h
 * and of the profilers of its execution providers (core/providers/cuda/cupti_manager.cc,
 * core/providers/rocm/roctracer_manager.cc); docs/formats.md describes the mapping.
 *
 * <p>A kernel names its operator by {@code parent_name} and follows it in the file, so it belongs to the last event of
 * that name.
 */
final class OnnxRuntimeSink implements TraceEventReader.Sink {
    private static final String KERNEL_TIME = "_kernel_time";
    /** The device of all kernels, because ONNX Runtime does not record it. */
    private static final String DEVICE = "0";

    private static final Pattern LOAD = Pattern.compile("model_loading_.*|session_initialization.*");
    private static final Pattern MODEL = Pattern.compile("model_run|.*Executor::Execute");
    private static final Pattern COPY = Pattern.compile("(hip)?(memcpy|copy).*", Pattern.CASE_INSENSITIVE);
    private static final Pattern SET = Pattern.compile("(hip)?(memset|fill).*", Pattern.CASE_INSENSITIVE);
    private static final Pattern RUNTIME = Pattern.compile("(cuda|hip)[A-Z].*");

    private final TimelineBuilder builder;
    private final Map<String, Integer> lastOperators = new HashMap<>();

    OnnxRuntimeSink(TimelineBuilder builder) {
        this.builder = builder;
    }

    @Override
    public void restart() {
        builder.clear();
        lastOperators.clear();
    }

    @Override
    public void event(TraceEvent event) {
        if (event.phase() != 'X') {
            builder.stats()
                    .count(Reason.UNKNOWN_PHASE, event.offsetBytes(), event.phase() == 0 ? "none" : "" + event.phase());
        } else if (EventTimes.hasRange(event, builder.stats())) {
            switch (event.category()) {
                case "Session" -> session(event);
                case "Node" -> node(event);
                case "Kernel" -> kernel(event);
                case "Api" -> api(event);
                default -> {
                    builder.stats().count(Reason.UNKNOWN_CATEGORY, event.offsetBytes(), event.category());
                    host(event, RowKind.ANNOTATION, event.name());
                }
            }
        }
    }

    private void session(TraceEvent event) {
        int row = host(event, RowKind.ANNOTATION, event.name());
        if (LOAD.matcher(event.name()).matches()) {
            builder.attribute(row, Attribute.ACTIVITY, RangeActivity.LOAD.ordinal());
        } else if (MODEL.matcher(event.name()).matches()) {
            builder.attribute(row, Attribute.ACTIVITY, RangeActivity.MODEL.ordinal());
        }
    }

    private void node(TraceEvent event) {
        String name = event.name();
        String operator = event.text(Arg.OP_NAME, "");
        if (name.endsWith("_fence_before") || name.endsWith("_fence_after")) {
            String fence = name.substring(name.lastIndexOf("_fence") + 1);
            int row = host(event, RowKind.ANNOTATION, operator.isEmpty() ? name : operator + ' ' + fence);
            builder.attribute(row, Attribute.ACTIVITY, RangeActivity.SYNCHRONISATION.ordinal());
            return;
        }
        String node = name.endsWith(KERNEL_TIME) ? name.substring(0, name.length() - KERNEL_TIME.length()) : name;
        int row = host(event, RowKind.OPERATOR, operator.isEmpty() ? node : operator);
        String provider = event.text(Arg.PROVIDER, "");
        builder.attribute(
                row, Attribute.DETAIL, builder.name(provider.isEmpty() ? node : node + " (" + provider + ')'));
        if (!provider.isEmpty()) {
            builder.attribute(row, Attribute.PROVIDER, builder.name(provider));
        }
        if (event.has(Arg.INPUT_TYPE_SHAPE)) {
            builder.attribute(row, Attribute.INPUT_DIMS, builder.name(event.text(Arg.INPUT_TYPE_SHAPE, "")));
        }
        lastOperators.put(name, row);
    }

    private void kernel(TraceEvent event) {
        int device = builder.track(TrackKind.DEVICE, -1, DEVICE);
        String stream = event.text(Arg.STREAM, "not recorded");
        int track = builder.track(TrackKind.STREAM, device, stream);
        builder.trackName(track, "stream " + stream);
        String name = event.name();
        RowKind kind = COPY.matcher(name).matches()
                ? CopyNames.of(name)
                : SET.matcher(name).matches() ? RowKind.MEMSET : RowKind.KERNEL;
        int row = builder.row(kind, track, event.tsNs(), endNs(event), builder.name(name));
        Integer operator = lastOperators.get(event.text(Arg.PARENT_NAME, ""));
        if (operator != null) {
            builder.link(LinkKind.LAUNCH, operator, row, 50);
        }
    }

    /** Adds an API call. It cannot be joined to its operation and so is not a launch; the operator's row is. */
    private void api(TraceEvent event) {
        int row = host(event, RowKind.ANNOTATION, event.name());
        if (RUNTIME.matcher(event.name()).matches()) {
            RangeActivity activity =
                    event.name().contains("Synchronize") ? RangeActivity.SYNCHRONISATION : RangeActivity.MODEL;
            builder.attribute(row, Attribute.ACTIVITY, activity.ordinal());
        }
    }

    private int host(TraceEvent event, RowKind kind, String name) {
        int process = builder.track(TrackKind.PROCESS, -1, event.pid());
        int thread = builder.track(TrackKind.THREAD, process, event.tid());
        return builder.row(kind, thread, event.tsNs(), endNs(event), builder.name(name));
    }

    private static long endNs(TraceEvent event) {
        return event.tsNs() + event.durationNs();
    }

    /**
     * Declares the clock of the stamps: the profiler's own, which begins when the session is made. Its Unix time is not
     * in the file.
     */
    void finish() {
        builder.clockDomain(new ClockDomain("onnxruntime", 0, -1));
    }
}

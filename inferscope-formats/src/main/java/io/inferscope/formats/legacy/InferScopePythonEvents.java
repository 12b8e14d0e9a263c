package io.inferscope.formats.legacy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.formats.common.DecimalTime;
import io.inferscope.formats.common.StackOwner;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TrackKind;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Turns the events of the earlier InferScope into rows. */
final class InferScopePythonEvents implements TolerantJson.Walk {
    private static final Set<String> KEPT_METADATA =
            Set.of("cuda_version", "python_version", "torch_version", "duration_ms");

    private final TimelineBuilder builder;
    private final Map<String, String> event = new HashMap<>();
    /** By type and thread. */
    private final Map<String, Deque<Open>> open = new HashMap<>();

    private long offsetBytes;
    private long deviceOperations;

    /** A call or scope that waits for its end. */
    private record Open(String name, String where, long startNs) {}

    InferScopePythonEvents(TimelineBuilder builder) {
        this.builder = builder;
    }

    @Override
    public void restart() {
        builder.clear();
        open.clear();
        deviceOperations = 0;
    }

    @Override
    public void document(JsonParser parser) throws IOException {
        if (parser.nextToken() == JsonToken.START_ARRAY) {
            events(parser);
            return;
        }
        TolerantJson.members(parser, (key, value) -> {
            if (key.equals("events") || key.equals("timeline")) {
                events(parser);
            } else if (key.equals("trace_metadata")) {
                metadata(parser);
            } else {
                parser.skipChildren();
            }
        });
    }

    /** Host and user names are not kept. */
    private void metadata(JsonParser parser) throws IOException {
        TolerantJson.members(parser, (key, token) -> {
            String value = TolerantJson.text(parser);
            if (key.equals("gpu_model") && !value.isEmpty()) {
                builder.property("device.0.name", value);
            } else if (KEPT_METADATA.contains(key) && !value.isEmpty()) {
                builder.property(key, value);
            }
        });
    }

    private void events(JsonParser parser) throws IOException {
        TolerantJson.elements(parser, at -> {
            offsetBytes = parser.currentTokenLocation().getByteOffset();
            builder.stats().event();
            if (at == JsonToken.START_OBJECT) {
                event.clear();
                members(parser, true);
                add();
            } else {
                builder.stats().count(Reason.NOT_AN_EVENT, offsetBytes, "");
                parser.skipChildren();
            }
        });
    }

    /** Reads members. Members of the event have precedence over those of its metadata, which may repeat them. */
    private void members(JsonParser parser, boolean outer) throws IOException {
        TolerantJson.members(parser, (key, value) -> {
            if (outer && key.equals("metadata") && value == JsonToken.START_OBJECT) {
                members(parser, false);
            } else if (value.isStructStart()) {
                parser.skipChildren();
            } else if (outer) {
                event.put(key, TolerantJson.text(parser));
            } else {
                event.putIfAbsent(key, TolerantJson.text(parser));
            }
        });
    }

    private String text(String... keys) {
        for (String key : keys) {
            String value = event.getOrDefault(key, "");
            if (!value.isEmpty()) {
                return value;
            }
        }
        return "";
    }

    private void add() {
        long startNs = DecimalTime.ns(text("global_ts_us", "timestamp_start_us", "timestamp_us"), 3);
        if (startNs == DecimalTime.INVALID) {
            builder.stats().count(Reason.BAD_TIMESTAMP, offsetBytes, text("type"));
            return;
        }
        switch (text("type")) {
            case "cpu_call" -> call(startNs);
            case "cpu_return" -> close("cpu_call", "", startNs);
            case "scope_enter" -> open("scope", startNs);
            case "scope_exit" -> close("scope", text("name"), startNs);
            case "scope" -> range(RowKind.ANNOTATION, thread(), startNs);
            case "cpu_syscall" -> range(RowKind.ANNOTATION, thread(), startNs);
            case "gpu_kernel" -> operation(RowKind.KERNEL, startNs);
            case "h2d_copy" -> operation(RowKind.MEMCPY_H2D, startNs);
            case "d2h_copy" -> operation(RowKind.MEMCPY_D2H, startNs);
            case "instant" -> builder.row(RowKind.INSTANT, thread(), startNs, startNs, builder.name(text("name")));
            case "memory_event" -> memory(startNs);
            default -> builder.stats().count(Reason.UNKNOWN_PHASE, offsetBytes, text("type"));
        }
    }

    /** Returns an event's length in ns, {@link DecimalTime#INVALID} if it has none. */
    private long durationNs() {
        String said = text("duration_us");
        if (!said.isEmpty()) {
            return DecimalTime.ns(said, 3);
        }
        long fromNs = DecimalTime.ns(text("timestamp_start_us"), 3);
        long toNs = DecimalTime.ns(text("timestamp_end_us"), 3);
        return fromNs == DecimalTime.INVALID || toNs == DecimalTime.INVALID ? DecimalTime.INVALID : toNs - fromNs;
    }

    /** Returns the row, -1 when the event has no usable length. */
    private int range(RowKind kind, int track, long startNs) {
        long ns = durationNs();
        if (ns < 0 || startNs > DecimalTime.MAX_NS - ns) {
            boolean missing = ns == DecimalTime.INVALID;
            builder.stats()
                    .count(
                            missing ? Reason.MISSING_DURATION : ns < 0 ? Reason.NEGATIVE_SPAN : Reason.BAD_TIMESTAMP,
                            offsetBytes,
                            text("name"));
            return -1;
        }
        int row = builder.row(kind, track, startNs, startNs + ns, builder.name(text("name")));
        if (text("type").equals("scope")) {
            builder.attribute(row, Attribute.USER_SCOPE, 1);
        }
        return row;
    }

    private String threadKey() {
        String said = text("thread_id");
        return said.isEmpty() ? "main" : said;
    }

    private int thread() {
        return thread(threadKey());
    }

    private int thread(String key) {
        int process = builder.track(TrackKind.PROCESS, -1, StackOwner.UNKNOWN_PROCESS);
        return builder.track(TrackKind.THREAD, process, key);
    }

    /** Begins a call. The recorder wrote no end of calls: the next return is the end. */
    private void call(long startNs) {
        if (durationNs() > 0) {
            builder.row(RowKind.PYTHON_FUNCTION, thread(), startNs, startNs + durationNs(), builder.name(function()));
        } else {
            open("cpu_call", startNs);
        }
    }

    private String function() {
        return Frame.text(text("name"), text("filename"), (int) Math.max(0, DecimalTime.ns(text("lineno"), 0)));
    }

    private void open(String type, long startNs) {
        String where = type.equals("scope") ? "" : function();
        open.computeIfAbsent(type + ' ' + threadKey(), k -> new ArrayDeque<>())
                .push(new Open(text("name"), where, startNs));
    }

    private void close(String type, String name, long endNs) {
        Deque<Open> thread = open.getOrDefault(type + ' ' + threadKey(), new ArrayDeque<>());
        Open inner = thread.peek();
        if (inner == null || !(name.isEmpty() || inner.name.equals(name))) {
            builder.stats().count(Reason.UNMATCHED_END, offsetBytes, name);
            return;
        }
        thread.pop();
        boolean scope = type.equals("scope");
        int row = builder.row(
                scope ? RowKind.ANNOTATION : RowKind.PYTHON_FUNCTION,
                thread(),
                inner.startNs,
                Math.max(inner.startNs, endNs),
                builder.name(scope ? inner.name : inner.where));
        if (scope) {
            builder.attribute(row, Attribute.USER_SCOPE, 1);
        }
    }

    private void operation(RowKind kind, long startNs) {
        String device = text("device_id");
        String stream = text("stream_id");
        int track = builder.track(
                TrackKind.STREAM,
                builder.track(TrackKind.DEVICE, -1, device.isEmpty() ? "0" : device),
                stream.isEmpty() ? "0" : stream);
        builder.trackName(track, "stream " + (stream.isEmpty() ? "0" : stream));
        int row = range(kind, track, startNs);
        if (row < 0) {
            return;
        }
        deviceOperations++;
        long bytes = DecimalTime.ns(text("bytes"), 0);
        if (bytes >= 0 && kind.isMemcpy()) {
            builder.attribute(row, Attribute.SIZE_BYTES, bytes);
        }
        String host = text("kind").equals("pinned") ? "Pinned" : text("kind").equals("pageable") ? "Pageable" : "";
        if (!host.isEmpty() && kind.isMemcpy()) {
            String kinds = kind == RowKind.MEMCPY_H2D ? host + " -> Device" : "Device -> " + host;
            builder.attribute(row, Attribute.MEMORY_KINDS, builder.name(kinds));
        }
    }

    private void memory(long atNs) {
        long bytes = DecimalTime.ns(text("allocations_bytes", "bytes"), 0);
        if (bytes == DecimalTime.INVALID) {
            builder.stats().count(Reason.NOT_AN_EVENT, offsetBytes, "memory_event without bytes");
            return;
        }
        int process = builder.track(TrackKind.PROCESS, -1, StackOwner.UNKNOWN_PROCESS);
        int row = builder.row(
                RowKind.COUNTER,
                builder.track(TrackKind.COUNTER, process, "memory, bytes"),
                atNs,
                atNs,
                builder.name("memory, bytes"));
        builder.attribute(row, Attribute.COUNTER_VALUE, Double.doubleToRawLongBits((double) bytes));
    }

    /** Counts calls without an end, and adds a note on the recorder's device events. */
    void finish() {
        open.values()
                .forEach(thread -> builder.stats()
                        .count(Reason.MISSING_DURATION, thread.size(), -1, "call or scope whose end was not recorded"));
        builder.clockDomain(new ClockDomain("inferscope-python", 0, -1));
        if (deviceOperations > 0) {
            builder.coverage(
                    new Coverage(
                            "device events of the earlier InferScope",
                            deviceOperations,
                            0,
                            "its kernels are gaps between synchronisations on the host, its copies are sizes divided by 12 GB/s"));
        }
    }
}

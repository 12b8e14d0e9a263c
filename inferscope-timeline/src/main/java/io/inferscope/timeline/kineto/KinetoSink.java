package io.inferscope.timeline.kineto;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.EventTimes;
import io.inferscope.timeline.traceevent.TraceEvent;
import io.inferscope.timeline.traceevent.TraceEventReader;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns trace events into rows, tracks and links. */
final class KinetoSink implements TraceEventReader.Sink {
    private static final Arg[] ARGS = Arg.values();

    private final TimelineBuilder builder;
    private final KinetoProperties properties;
    private final Map<ThreadKey, OpenRanges> open = new HashMap<>();
    private final Map<String, String> processNames = new HashMap<>();
    private final Map<ThreadKey, String> threadNames = new HashMap<>();
    private final Map<String, Integer> hostProcesses = new HashMap<>();
    private final Declared declared;
    private final StackFrames stackFrames;
    private final CorrelationLinker linker;
    private String cachedPid = "";
    private String cachedTid = "";
    private int cachedTrack = -1;
    private @Nullable StreamKey cachedStream;
    private int cachedStreamTrack = -1;
    private long lastStampNs = Long.MIN_VALUE;

    private record ThreadKey(String pid, String tid) {}

    private record StreamKey(String device, String context, String stream) {}

    KinetoSink(TimelineBuilder builder) {
        this.builder = builder;
        this.properties = new KinetoProperties(builder);
        this.declared = new Declared(builder);
        this.stackFrames = new StackFrames(builder);
        this.linker = new CorrelationLinker(builder::startNsAt);
    }

    @Override
    public void property(String path, String value) {
        if (!stackFrames.take(path, value)) {
            properties.take(path, value);
        }
    }

    @Override
    public void restart() {
        builder.clear();
        properties.clear();
        open.clear();
        processNames.clear();
        threadNames.clear();
        hostProcesses.clear();
        declared.clear();
        stackFrames.clear();
        linker.clear();
        cachedTrack = -1;
        cachedStream = null;
        lastStampNs = Long.MIN_VALUE;
    }

    @Override
    public void event(TraceEvent event) {
        switch (event.phase()) {
            case 'X' -> complete(event);
            case 'B' -> begin(event);
            case 'E' -> end(event);
            case 'i', 'I', 'R' -> point(event);
            case 'C' -> counter(event);
            case 'M' -> metadata(event);
            case 's', 't', 'f' -> builder.stats().count(Reason.FLOW, event.offsetBytes(), "");
            default ->
                builder.stats()
                        .count(
                                Reason.UNKNOWN_PHASE,
                                event.offsetBytes(),
                                event.phase() == 0 ? "none" : "" + event.phase());
        }
    }

    private void complete(TraceEvent event) {
        if (usableStamp(event) && EventTimes.hasRange(event, builder.stats())) {
            add(event, event.tsNs() + event.durationNs());
        }
    }

    private boolean usableStamp(TraceEvent event) {
        boolean usable = EventTimes.hasStamp(event, builder.stats());
        if (usable) {
            lastStampNs = Math.max(lastStampNs, event.tsNs());
        }
        return usable;
    }

    private void begin(TraceEvent event) {
        if (usableStamp(event)) {
            int row = add(event, event.tsNs());
            open.computeIfAbsent(new ThreadKey(event.pid(), event.tid()), k -> new OpenRanges())
                    .begin(row, event.name());
        }
    }

    private void end(TraceEvent event) {
        if (!usableStamp(event)) {
            return;
        }
        OpenRanges ranges = open.get(new ThreadKey(event.pid(), event.tid()));
        int row = ranges == null ? -1 : ranges.end(event.name());
        if (row < 0) {
            builder.stats().count(Reason.UNMATCHED_END, event.offsetBytes(), event.name());
        } else {
            builder.end(row, event.tsNs());
        }
    }

    private int add(TraceEvent event, long endNs) {
        RowKind kind = kind(event);
        int row = builder.row(kind, track(event, kind), event.tsNs(), endNs, builder.name(event.name()));
        lastStampNs = Math.max(lastStampNs, endNs);
        attributes(event, row);
        if (!event.has(Arg.EXACT_KIND)) {
            derivedAttributes(event, row, kind);
        }
        identity(event, row, kind);
        return row;
    }

    /** An exact kind is said by a trace that was converted; nothing is derived from names then. */
    private static RowKind kind(TraceEvent event) {
        RowKind kind = Categories.kind(event.category(), event.name(), event.text(Arg.KIND, ""));
        return event.has(Arg.EXACT_KIND)
                ? Declared.constant(RowKind.values(), event.text(Arg.EXACT_KIND, ""), kind)
                : kind;
    }

    private void identity(TraceEvent event, int row, RowKind kind) {
        builder.sourceOffset(row, event.offsetBytes());
        declared.row(event, row);
        if (event.has(Arg.STACK_FRAME)) {
            stackFrames.row(row, event.text(Arg.STACK_FRAME, ""));
        }
        long correlation = event.number(Arg.CORRELATION, 0);
        if (correlation != 0) {
            builder.correlation(row, correlation);
            linker.add(row, kind, CorrelationLinker.ONE_PROCESS, correlation);
        }
    }

    private void attributes(TraceEvent event, int row) {
        for (long present = event.presentArgs(); present != 0; present &= present - 1) {
            Arg arg = ARGS[Long.numberOfTrailingZeros(present)];
            Attribute attribute = arg.attribute();
            if (attribute != null) {
                builder.attribute(
                        row, attribute, arg.isText() ? builder.name(event.text(arg, "")) : event.number(arg, 0));
            }
        }
    }

    private void derivedAttributes(TraceEvent event, int row, RowKind kind) {
        String memoryKinds = kind.isMemcpy() ? Categories.memoryKinds(event.name()) : null;
        if (memoryKinds != null && !event.has(Arg.MEMORY_KINDS)) {
            builder.attribute(row, Attribute.MEMORY_KINDS, builder.name(memoryKinds));
        }
        if (Categories.kind(event.category()) == null && !event.category().isEmpty()) {
            builder.stats().count(Reason.UNKNOWN_CATEGORY, event.offsetBytes(), event.category());
            builder.attribute(row, Attribute.DETAIL, builder.name(event.category()));
        }
    }

    private int track(TraceEvent event, RowKind kind) {
        int track = declared.trackOf(event, kind);
        if (track >= 0) {
            return track;
        }
        return kind.isOnStream() ? streamTrack(event) : hostTrack(event, kind);
    }

    /** DESIGN: the device is the argument {@code device}, else the process id that the event claims. */
    private int streamTrack(TraceEvent event) {
        StreamKey key = new StreamKey(
                event.text(Arg.DEVICE, event.pid()), event.text(Arg.CONTEXT, ""), event.text(Arg.STREAM, event.tid()));
        if (!key.equals(cachedStream)) {
            cachedStream = key;
            cachedStreamTrack = streamTrack(key.device, key.context, key.stream);
        }
        return cachedStreamTrack;
    }

    private int streamTrack(String deviceKey, String context, String stream) {
        int device = builder.track(TrackKind.DEVICE, -1, deviceKey);
        int track = builder.track(TrackKind.STREAM, device, context.isEmpty() ? stream : context + '/' + stream);
        builder.trackName(track, "stream " + stream);
        return track;
    }

    private int hostTrack(TraceEvent event, RowKind kind) {
        return switch (kind) {
            case PROCESS -> hostProcesses.computeIfAbsent(event.pid(), p -> builder.track(TrackKind.PROCESS, -1, p));
            case THREAD_STATE -> threadTrack(event.pid(), event.text(Arg.THREAD, event.tid()));
            default -> threadTrack(event.pid(), event.tid());
        };
    }

    private int threadTrack(String pid, String tid) {
        if (cachedTrack < 0 || !pid.equals(cachedPid) || !tid.equals(cachedTid)) {
            int process = hostProcesses.computeIfAbsent(pid, p -> builder.track(TrackKind.PROCESS, -1, p));
            cachedTrack = builder.track(TrackKind.THREAD, process, tid);
            cachedPid = pid;
            cachedTid = tid;
        }
        return cachedTrack;
    }

    private void point(TraceEvent event) {
        // "Iteration Start" and "Record Window End" are the profiler's own marks on tracks of its own.
        if (usableStamp(event) && !event.category().isEmpty()) {
            int track = track(event, RowKind.INSTANT);
            int row = builder.row(RowKind.INSTANT, track, event.tsNs(), event.tsNs(), builder.name(event.name()));
            attributes(event, row);
            identity(event, row, RowKind.INSTANT);
        }
    }

    private void counter(TraceEvent event) {
        if (!usableStamp(event)) {
            return;
        }
        int row = builder.row(
                RowKind.COUNTER, counterTrack(event), event.tsNs(), event.tsNs(), builder.name(event.name()));
        if (event.has(Arg.VALUE) || !event.has(Arg.EXACT_KIND)) {
            counterValue(event, row);
        }
        attributes(event, row);
        identity(event, row, RowKind.COUNTER);
    }

    private int counterTrack(TraceEvent event) {
        int track = declared.trackOf(event, RowKind.COUNTER);
        return track >= 0
                ? track
                : builder.track(TrackKind.COUNTER, builder.track(TrackKind.PROCESS, -1, event.pid()), event.name());
    }

    private void counterValue(TraceEvent event, int row) {
        try {
            double value = Double.parseDouble(event.text(Arg.VALUE, "NaN"));
            builder.attribute(row, Attribute.COUNTER_VALUE, Double.doubleToRawLongBits(value));
        } catch (NumberFormatException notANumber) {
            builder.stats().count(Reason.BAD_TIMESTAMP, event.offsetBytes(), event.name());
        }
    }

    private void metadata(TraceEvent event) {
        String name = event.text(Arg.NAME, "");
        if (event.name().equals("process_name")) {
            processNames.put(event.pid(), name);
        } else if (event.name().equals("thread_name")) {
            threadNames.put(new ThreadKey(event.pid(), event.tid()), name);
        }
        declared.take(event);
    }

    /** Closes what is still open, names the tracks, links launches and says which clock the stamps are of. */
    void finish() {
        for (OpenRanges ranges : open.values()) {
            ranges.forEach((row, name) -> {
                builder.end(row, lastStampNs);
                builder.stats().count(Reason.UNCLOSED_BEGIN, -1, name);
            });
        }
        hostProcesses.forEach((pid, track) -> {
            String name = processNames.getOrDefault(pid, "");
            if (!name.isEmpty()) {
                builder.trackName(track, name);
            }
        });
        threadNames.forEach((key, name) -> {
            Integer process = hostProcesses.get(key.pid);
            if (process != null && !name.isEmpty() && !name.startsWith("thread " + key.tid + " (")) {
                builder.trackName(builder.track(TrackKind.THREAD, process, key.tid), name);
            }
        });
        properties.finish(declared.properties());
        declared.finish();
        stackFrames.finish();
        if (!properties.linksAreDeclared()) {
            linker.link(builder::link);
        }
    }

    String whyEmpty() {
        String damage = builder.stats().build().damage();
        return damage.isEmpty() ? "the event list is empty" : damage;
    }
}

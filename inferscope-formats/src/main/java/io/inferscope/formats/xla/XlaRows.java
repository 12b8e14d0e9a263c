package io.inferscope.formats.xla;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.importer.CopyNames;
import io.inferscope.timeline.importer.CorrelationLinker;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the events of an XLA profile into rows: the same rows for {@code xplane.pb} and for {@code trace.json.gz}. */
final class XlaRows {
    /** Names of control flow, which encloses its operations on the same line. */
    private static final Pattern CONTROL_FLOW = Pattern.compile("%?(while|conditional|call)([.\\d].*)?");

    /**
     * Ends of asynchronous operations of a TPU: {@code copy-done} lasts as long as the core waits for its {@code
     * copy-start}. Those of collectives are communication.
     */
    private static final Pattern ASYNCHRONOUS =
            Pattern.compile("%?(?!all-|reduce-scatter|collective-|send|recv)[\\w-]+-(start|update|done)([.\\d ].*)?");

    /** Operations in which a core waits for data of the host, or for the host to take some. */
    private static final Pattern FEED = Pattern.compile("%?(in|out)feed(-(start|done))?([.\\d ].*)?");

    private static final Pattern COPY = Pattern.compile("(hip)?(memcpy|copy).*", Pattern.CASE_INSENSITIVE);
    private static final Pattern SET = Pattern.compile("(hip)?(memset|fill).*", Pattern.CASE_INSENSITIVE);
    private static final Pattern MEMORY =
            Pattern.compile("(memory ?(alloc|free|residency)|mem(alloc|free)).*", Pattern.CASE_INSENSITIVE);
    private static final Pattern SIZE = Pattern.compile("\\b(?:size|num_bytes):(\\d{1,18})\\b");
    private static final Pattern KINDS = Pattern.compile("kind_src:(\\w+) kind_dst:(\\w+)");

    /** The allocator of a GPU's memory. */
    private static final Pattern ALLOCATOR = Pattern.compile("GPU_(\\d{1,3})_bfc");

    private final TimelineBuilder builder;
    private final CorrelationLinker linker;
    private final Map<XlaLine, Integer> tracks = new HashMap<>();
    private final Map<XlaHostEvent.Seen, XlaHostEvent> hostEvents = new HashMap<>();
    private final Map<Operation, Map<Attribute, Integer>> operations = new HashMap<>();
    private final List<DriverCall> calls = new ArrayList<>();
    /** The correlation ids of copies and sets. */
    private final Set<Long> transfers = new HashSet<>();

    private final Set<String> allocators = new TreeSet<>();

    private DriverThreads threads = new DriverThreads();

    /** A driver call, kept until the thread of its line and the operation it submits are known. */
    private record DriverCall(XlaLine line, RowKind kind, String name, long startNs, long endNs, long correlation) {
        /**
         * Returns the name of the row. Old profilers of AMD's GPUs name the call that launches a kernel after the
         * kernel; a call that is tied to a copy or a set launched no kernel.
         */
        String text(Set<Long> transfers) {
            return kind == RowKind.ANNOTATION && !transfers.contains(correlation) ? "hipLaunchKernel: " + name : name;
        }

        RowKind rowKind() {
            return kind == RowKind.ANNOTATION ? RowKind.RUNTIME_CALL : kind;
        }
    }

    /** An HLO operation, its module, and the module's description of it; empty if not known. */
    private record Operation(String name, String module, String what) {
        /** Returns the attributes of its rows: its parts, and all of them for people. */
        private Map<Attribute, Integer> attributes(TimelineBuilder builder) {
            Map<Attribute, Integer> attributes = new EnumMap<>(Attribute.class);
            attributes.put(Attribute.HLO_INSTRUCTION, builder.name(name));
            if (!module.isEmpty()) {
                attributes.put(Attribute.HLO_MODULE, builder.name(module));
            }
            if (!what.isEmpty()) {
                attributes.put(Attribute.HLO_MEANING, builder.name(what));
            }
            String where = module.isEmpty() ? name : name + " (" + module + ')';
            attributes.put(Attribute.DETAIL, builder.name(what.isEmpty() ? where : where + " = " + what));
            return attributes;
        }
    }

    XlaRows(TimelineBuilder builder) {
        this.builder = builder;
        this.linker = new CorrelationLinker(builder::startNsAt);
    }

    /** Clears everything, including the builder, for an importer that restarts. */
    void clear() {
        builder.clear();
        linker.clear();
        tracks.clear();
        hostEvents.clear();
        operations.clear();
        calls.clear();
        transfers.clear();
        allocators.clear();
        threads = new DriverThreads();
    }

    /** Adds an event of a line. Its end must not be before its start. */
    void add(XlaLine line, XlaEvent event, long offsetBytes) {
        switch (line.content()) {
            case HOST -> host(line, event);
            case STREAM -> operation(line, event, onStream(event));
            case OPERATIONS -> {
                builder.property(TimelineInfo.BLOCKS, "HLO operations");
                operation(line, event, onCore(event));
            }
            case DERIVED -> row(line, event, RowKind.DEVICE_ANNOTATION, event.name);
            case OVERHEAD -> row(line, event, RowKind.PROFILER_OVERHEAD, event.name);
            case OTHER -> builder.stats().count(Reason.NOT_USED, offsetBytes, line.name());
        }
    }

    /**
     * Assigns calls to their threads, and joins launches and device operations. To be called once, after the last
     * event.
     */
    void finish() {
        Map<XlaLine, XlaLine> hosts = threads.hosts();
        for (DriverCall call : calls) {
            XlaLine line = hosts.getOrDefault(call.line(), call.line());
            int track = tracks.computeIfAbsent(line, this::track);
            int name = builder.name(call.text(transfers));
            int row = builder.row(call.rowKind(), track, call.startNs(), call.endNs(), name);
            correlate(row, call.rowKind(), call.correlation());
        }
        linker.link(builder::link);
        for (String allocator : allocators) {
            Matcher ofGpu = ALLOCATOR.matcher(allocator);
            if (ofGpu.matches()) {
                builder.property(TimelineInfo.ALLOCATES + ofGpu.group(1), allocator);
            }
        }
    }

    private void host(XlaLine line, XlaEvent event) {
        if (!event.allocator.isEmpty()) {
            allocators.add(event.allocator);
        }
        XlaHostEvent host = hostEvents.computeIfAbsent(XlaHostEvent.Seen.of(event, line.name()), XlaHostEvent::of);
        if (host.kind().isApiCall() || (host.kind() == RowKind.ANNOTATION && event.correlation != 0)) {
            threads.call(line, event.startNs, event.endNs);
            calls.add(new DriverCall(line, host.kind(), host.name(), event.startNs, event.endNs, event.correlation));
            return;
        }
        if (host.kind() == RowKind.ANNOTATION) {
            threads.range(line, event.startNs, event.endNs);
        }
        int row = row(line, event, host.kind(), host.name());
        if (host.activity() != null) {
            builder.attribute(row, Attribute.ACTIVITY, host.activity().ordinal());
        }
        if (host.kind() == RowKind.OPERATOR && !event.hloModule.isEmpty()) {
            builder.attribute(row, Attribute.DETAIL, builder.name(event.hloModule));
        }
        correlate(row, host.kind(), event.correlation);
    }

    private static RowKind onStream(XlaEvent event) {
        String name = XlaHostEvent.telling(event.name);
        if (!event.memcpyDetails.isEmpty() || COPY.matcher(name).matches()) {
            return CopyNames.of(name);
        }
        if (!event.memsetDetails.isEmpty() || SET.matcher(name).matches()) {
            return RowKind.MEMSET;
        }
        return MEMORY.matcher(name).matches() ? RowKind.DEVICE_ANNOTATION : RowKind.KERNEL;
    }

    private static RowKind onCore(XlaEvent event) {
        String name = XlaHostEvent.telling(event.name);
        if (CONTROL_FLOW.matcher(name).matches()) {
            return RowKind.DEVICE_ANNOTATION;
        }
        Matcher feed = FEED.matcher(name);
        if (feed.matches()) {
            return feed.group(1).equals("in") ? RowKind.MEMCPY_H2D : RowKind.MEMCPY_D2H;
        }
        return ASYNCHRONOUS.matcher(name).matches() ? RowKind.MEMCPY_D2D : RowKind.KERNEL;
    }

    private void operation(XlaLine line, XlaEvent event, RowKind kind) {
        int row = row(line, event, kind, event.name);
        if (!event.hloOp.isEmpty()) {
            Operation operation = new Operation(event.hloOp, event.hloModule, event.hlo.what());
            operations
                    .computeIfAbsent(operation, o -> o.attributes(builder))
                    .forEach((attribute, value) -> builder.attribute(row, attribute, value));
        }
        if (!event.hlo.where().isEmpty()) {
            builder.attribute(row, Attribute.WHERE, builder.name(event.hlo.where()));
        }
        String details = XlaHostEvent.telling(event.memcpyDetails) + XlaHostEvent.telling(event.memsetDetails);
        Matcher size = SIZE.matcher(details);
        if (size.find()) {
            builder.attribute(row, Attribute.SIZE_BYTES, Long.parseLong(size.group(1)));
        }
        Matcher kinds = KINDS.matcher(details);
        if (kinds.find()) {
            String words = capitalised(kinds.group(1)) + " -> " + capitalised(kinds.group(2));
            builder.attribute(row, Attribute.MEMORY_KINDS, builder.name(words));
        }
        if (kind.isMemcpy() || kind == RowKind.MEMSET) {
            transfers.add(event.correlation);
        }
        correlate(row, kind, event.correlation);
    }

    private static String capitalised(String word) {
        return Character.toUpperCase(word.charAt(0)) + word.substring(1);
    }

    /** Adds a row for linking by correlation id. A profile covers one process. */
    private void correlate(int row, RowKind kind, long correlation) {
        if (correlation != 0) {
            builder.correlation(row, correlation);
            linker.add(row, kind, CorrelationLinker.ONE_PROCESS, correlation);
        }
    }

    private int row(XlaLine line, XlaEvent event, RowKind kind, String name) {
        int track = tracks.computeIfAbsent(line, this::track);
        return builder.row(kind, track, event.startNs, event.endNs, builder.name(name));
    }

    private int track(XlaLine line) {
        int track;
        if (line.device() != null) {
            int device = builder.track(TrackKind.DEVICE, -1, line.device());
            track = builder.track(TrackKind.STREAM, device, line.key());
        } else {
            int process = builder.track(TrackKind.PROCESS, -1, line.process() == null ? "" : line.process());
            track = builder.track(TrackKind.THREAD, process, line.key());
        }
        if (!line.name().isEmpty()) {
            builder.trackName(track, line.name());
        }
        return track;
    }
}

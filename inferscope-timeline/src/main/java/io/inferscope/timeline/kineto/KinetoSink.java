package io.inferscope.timeline.kineto;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.EventTimes;
import io.inferscope.timeline.traceevent.FixedPoint;
import io.inferscope.timeline.traceevent.TraceEvent;
import io.inferscope.timeline.traceevent.TraceEventReader;
import java.util.HashMap;
import java.util.Map;

/** Turns trace events into rows and links; {@link KinetoTracks} decides which track a row is on. */
final class KinetoSink implements TraceEventReader.Sink {
    /** The directions of copies with further names are looked for each time. */
    private static final int MOST_COPIES = 10_000;

    private final TimelineBuilder builder;
    private final KinetoProperties properties;
    private final RowAttributes attributes;
    private final Map<KinetoTracks.ThreadKey, OpenRanges> open = new HashMap<>();
    /** The kinds of the document's categories. A reader passes equal texts as one object, which is found without comparing. */
    private final Map<String, RowKind> categories = new HashMap<>();

    /** The kinds of copies without an argument that says it, by name. */
    private final Map<String, RowKind> copies = new HashMap<>();

    private final LosslessMetadata declared;
    private final KinetoTracks tracks;
    private final StackFrames stackFrames;
    private final CorrelationLinker linker;

    /**
     * By external id, until an event has a correlation id. Recordings of ROCm without correlation ids give each launch
     * an external id of its own; where those of CUDA have both, launches of one operator share it.
     */
    private final CorrelationLinker byExternalId;

    private boolean correlated;
    private final RecordedWaits waits;
    private final AutogradPasses passes;
    private final AsyncRanges async;
    private final UncategorisedLanes lanes;
    private final TensorFlowOps tensorFlow = new TensorFlowOps();
    private long lastStampNs = Long.MIN_VALUE;

    /** Fewer stamps may be multiples of a coarse step by chance. */
    private static final int MANY = 100;

    /** Finer steps than this one blur nothing. */
    private static final long FINE_NS = 10_000;

    /** All stamps are this one and whole steps, and all lengths whole steps. */
    private long firstStampNs = Long.MIN_VALUE;

    private long stepNs;

    KinetoSink(TimelineBuilder builder) {
        this.builder = builder;
        this.properties = new KinetoProperties(builder);
        this.attributes = new RowAttributes(builder, properties);
        this.declared = new LosslessMetadata(builder);
        this.tracks = new KinetoTracks(builder, declared);
        this.stackFrames = new StackFrames(builder);
        this.linker = new CorrelationLinker(builder::startNsAt);
        this.byExternalId = new CorrelationLinker(builder::startNsAt);
        this.waits = new RecordedWaits(builder, tracks);
        this.passes = new AutogradPasses(builder);
        this.async = new AsyncRanges(builder);
        this.lanes = new UncategorisedLanes(builder, tracks, linker);
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
        tracks.clear();
        declared.clear();
        stackFrames.clear();
        linker.clear();
        byExternalId.clear();
        correlated = false;
        waits.clear();
        passes.clear();
        async.clear();
        lanes.clear();
        tensorFlow.clear();
        lastStampNs = Long.MIN_VALUE;
        firstStampNs = Long.MIN_VALUE;
        stepNs = 0;
    }

    @Override
    public void event(TraceEvent event) {
        if (OverlayWriter.isOverlay(event)) {
            builder.stats().count(Reason.OVERLAY, event.offsetBytes(), "");
            return;
        }
        switch (event.phase()) {
            case 'X' -> complete(event);
            case 'B' -> begin(event);
            case 'E' -> end(event);
            case 'b', 'n', 'e' -> asynchronous(event);
            case 'i', 'I', 'R' -> point(event);
            case 'C' -> counter(event);
            case 'M' -> metadata(event);
            case 's', 't', 'f' -> flow(event);
            default ->
                builder.stats()
                        .count(
                                Reason.UNKNOWN_PHASE,
                                event.offsetBytes(),
                                event.phase() == 0 ? "none" : "" + event.phase());
        }
    }

    private void complete(TraceEvent event) {
        if (event.durationNs() <= 0 && isWithoutTimes(event)) {
            return;
        }
        if (usableStamp(event) && EventTimes.hasRange(event, builder.stats())) {
            if (stepNs > FINE_NS) {
                stepNs = commonStep(stepNs, event.durationNs());
            }
            if (TensorFlowOps.isOne(event, tracks)) {
                operator(event);
            } else {
                add(event, event.tsNs() + event.durationNs());
            }
        }
    }

    /** Counts a device operation without times. CUPTI gives it a start and an end of 0, which Kineto writes as they are. */
    private boolean isWithoutTimes(TraceEvent event) {
        boolean negative = event.durationNs() < 0 && event.durationNs() != FixedPoint.INVALID;
        boolean without = (negative || (event.tsNs() == 0 && event.durationNs() == 0))
                && kind(event).isDeviceOperation();
        if (without) {
            builder.stats()
                    .count(negative ? Reason.NEGATIVE_DURATION : Reason.NOT_TIMED, event.offsetBytes(), event.name());
        }
        return without;
    }

    private void operator(TraceEvent event) {
        TensorFlowOps.Place place = tensorFlow.place(tracks.processName(event.pid()));
        if (place.isRepeated()) {
            builder.stats().count(Reason.OVERLAY, event.offsetBytes(), "");
            return;
        }
        RowKind kind = place.isHost() ? RowKind.OPERATOR : TensorFlowOps.kind(event);
        int track = place.isHost() ? tracks.of(event, kind) : tracks.stream(place.device(), place.stream());
        long endNs = event.tsNs() + event.durationNs();
        int row = builder.row(kind, track, event.tsNs(), endNs, builder.name(event.name()));
        builder.sourceOffset(row, event.offsetBytes());
        lastStampNs = Math.max(lastStampNs, endNs);
        tensorFlow.ran(event.tsNs(), endNs, !place.isHost());
    }

    private boolean usableStamp(TraceEvent event) {
        boolean usable = EventTimes.hasStamp(event, builder.stats());
        if (usable) {
            lastStampNs = Math.max(lastStampNs, event.tsNs());
            if (firstStampNs == Long.MIN_VALUE) {
                firstStampNs = event.tsNs();
            } else if (stepNs == 0 || stepNs > FINE_NS) {
                stepNs = commonStep(stepNs, Math.abs(event.tsNs() - firstStampNs));
            }
        }
        return usable;
    }

    private static long commonStep(long a, long b) {
        long larger = a;
        long smaller = b;
        while (smaller != 0) {
            long rest = larger % smaller;
            larger = smaller;
            smaller = rest;
        }
        return larger;
    }

    private void begin(TraceEvent event) {
        if (usableStamp(event)) {
            int row = add(event, event.tsNs());
            open.computeIfAbsent(new KinetoTracks.ThreadKey(event.pid(), event.tid()), k -> new OpenRanges())
                    .begin(row, event.name());
        }
    }

    private void end(TraceEvent event) {
        if (!usableStamp(event)) {
            return;
        }
        OpenRanges ranges = open.get(new KinetoTracks.ThreadKey(event.pid(), event.tid()));
        int row = ranges == null ? -1 : ranges.end(event.name());
        if (row < 0) {
            builder.stats().count(Reason.UNMATCHED_END, event.offsetBytes(), event.name());
        } else {
            builder.end(row, event.tsNs());
        }
    }

    private void asynchronous(TraceEvent event) {
        if (!usableStamp(event)) {
            return;
        }
        if (event.phase() == 'e') {
            async.end(event);
        } else {
            int row = async.begin(event);
            if (event.phase() == 'b') {
                lanes.asynchronous(event, row);
            }
            attributes.said(event, row);
            identity(event, row, RowKind.INSTANT);
        }
    }

    private int add(TraceEvent event, long endNs) {
        RowKind kind = kind(event);
        boolean vizTracers =
                kind == RowKind.PYTHON_FUNCTION && event.category().equalsIgnoreCase(VizTracerNames.CATEGORY);
        String name = vizTracers ? VizTracerNames.frame(event.name()) : event.name();
        int row = builder.row(kind, tracks.of(event, kind), event.tsNs(), endNs, builder.name(name));
        lastStampNs = Math.max(lastStampNs, endNs);
        attributes.said(event, row);
        attributes.derived(event, row, kind);
        if (kind == RowKind.ANNOTATION) {
            lanes.range(event, row);
        } else {
            lanes.other(kind);
        }
        identity(event, row, kind);
        return row;
    }

    /** A converted trace states the exact kind; nothing is derived from names then. */
    private RowKind kind(TraceEvent event) {
        String category = event.category();
        RowKind ofCategory = categories.get(category);
        if (ofCategory == null) {
            ofCategory = Categories.kind(category);
            if (ofCategory != null) {
                categories.put(category, ofCategory);
            }
        }
        RowKind kind = ofCategory == RowKind.MEMCPY_OTHER && !event.has(Arg.KIND)
                ? direction(event.name())
                : Categories.kind(ofCategory, category, event.name(), event.text(Arg.KIND, ""));
        return event.has(Arg.EXACT_KIND)
                ? LosslessMetadata.constant(RowKind.values(), event.text(Arg.EXACT_KIND, ""), kind)
                : kind;
    }

    private RowKind direction(String copy) {
        RowKind known = copies.get(copy);
        if (known == null) {
            known = Categories.direction(copy, "");
            if (copies.size() < MOST_COPIES) {
                copies.put(copy, known);
            }
        }
        return known;
    }

    private void identity(TraceEvent event, int row, RowKind kind) {
        builder.sourceOffset(row, event.offsetBytes());
        declared.row(event, row);
        if (event.has(Arg.STACK_FRAME)) {
            stackFrames.row(row, event.text(Arg.STACK_FRAME, ""));
        }
        if (kind == RowKind.OPERATOR && event.has(Arg.SEQUENCE_NUMBER)) {
            passes.add(event, row);
        }
        long correlation = event.number(Arg.CORRELATION, 0);
        long externalId = event.number(Arg.EXTERNAL_ID, 0);
        if (correlation != 0 && kind == RowKind.OPERATOR && Categories.isOfQueue(event.category())) {
            return;
        }
        if (correlation == 0 && !correlated && externalId != 0) {
            byExternalId.add(row, kind, CorrelationLinker.ONE_PROCESS, externalId);
        }
        if (correlation != 0) {
            correlated = true;
            builder.correlation(row, correlation);
            linker.add(row, kind, CorrelationLinker.ONE_PROCESS, correlation);
            lanes.correlated(kind);
            if (kind == RowKind.DEVICE_SYNC && event.has(Arg.WAITED_RECORDING)) {
                waits.add(event, row, correlation);
            }
        }
    }

    private void point(TraceEvent event) {
        if (usableStamp(event) && !Categories.isProfilerMark(event)) {
            int track = tracks.of(event, RowKind.INSTANT);
            int row = builder.row(RowKind.INSTANT, track, event.tsNs(), event.tsNs(), builder.name(event.name()));
            attributes.said(event, row);
            identity(event, row, RowKind.INSTANT);
        }
    }

    private void counter(TraceEvent event) {
        if (!usableStamp(event)) {
            return;
        }
        String[] series = event.text(Arg.SERIES, "").split("\n", -1);
        if (series.length >= 4) { // Names and numbers in turn.
            for (int i = 0; i + 1 < series.length; i += 2) {
                String name = event.name() + ": " + series[i];
                attributes.counter(event, counter(event, tracks.ofCounter(event, name), name), series[i + 1]);
            }
            return;
        }
        int row = counter(event, tracks.of(event, RowKind.COUNTER), event.name());
        if (event.has(Arg.VALUE) || !event.has(Arg.EXACT_KIND)) {
            attributes.counter(event, row, event.text(Arg.VALUE, "NaN"));
        }
        attributes.said(event, row);
        identity(event, row, RowKind.COUNTER);
    }

    private int counter(TraceEvent event, int track, String name) {
        return builder.row(RowKind.COUNTER, track, event.tsNs(), event.tsNs(), builder.name(name));
    }

    private void flow(TraceEvent event) {
        builder.stats().count(Reason.FLOW, event.offsetBytes(), "");
        if (event.has(Arg.ASYNC_ID)) {
            lanes.flow(event);
        }
    }

    private void metadata(TraceEvent event) {
        tracks.metadata(event);
        declared.take(event);
    }

    /** Closes what is still open, names the tracks, links launches and declares the clock of the stamps. */
    void finish() {
        for (OpenRanges ranges : open.values()) {
            ranges.forEach((row, name) -> {
                builder.end(row, lastStampNs);
                builder.stats().count(Reason.UNCLOSED_BEGIN, -1, name);
            });
        }
        async.finish(lastStampNs);
        tensorFlow.finish(builder);
        tracks.finish();
        correlated |= !properties.areExact() && lanes.finish();
        properties.finish(declared.properties());
        if (stepNs > FINE_NS && builder.rowCount() >= MANY && !properties.areExact()) {
            builder.property(TimelineInfo.STAMP_STEP, Long.toString(stepNs));
        }
        declared.finish();
        stackFrames.finish();
        if (properties.areExact()) {
            builder.ownRows();
        }
        if (!properties.linksAreDeclared()) {
            waits.link(correlated ? linker : byExternalId);
            passes.link();
        }
    }

    String whyEmpty() {
        String damage = builder.stats().build().damage();
        return damage.isEmpty() ? "it holds no event with a time" : damage;
    }
}

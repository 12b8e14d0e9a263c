package io.inferscope.formats.xla;

import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.EventTimes;
import io.inferscope.timeline.traceevent.TraceEvent;
import io.inferscope.timeline.traceevent.TraceEventReader;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** The {@code *.trace.json.gz} of a JAX or TensorFlow profile: the trace viewer's form of an {@code xplane.pb}. */
public final class XlaTraceImporter extends Importer {
    private static final Pattern PLANE =
            Pattern.compile("\"process_name\"\\s*,\\s*\"args\"\\s*:\\s*\\{\\s*\"name\"\\s*:\\s*\"/(host|device):");
    /** The writer silently drops events beyond a limit: a million events, in later versions five million. */
    private static final long WRITER_LIMIT = 1_000_000;

    public XlaTraceImporter() {
        super("xla", "JAX / TensorFlow profile (.trace.json.gz)");
    }

    @Override
    public boolean recognises(TraceHead head) {
        return head.isJson() && PLANE.matcher(head.text()).find();
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws IOException, ImportException {
        XlaTraceSink sink = new XlaTraceSink(builder);
        TraceEventReader.create().read(source, sink, builder.stats());
        sink.finish();
        source.requireRows(builder, "it holds no event with a time", "read the xplane.pb beside it, or record again");
        if (builder.rowCount() >= WRITER_LIMIT) {
            builder.coverage(new Coverage(
                    "trace.json.gz",
                    builder.rowCount(),
                    0,
                    "the profiler leaves out events that do not fit into this file: read the xplane.pb beside it"));
        }
    }

    @Override
    public Timeline finish(Timeline timeline) {
        return ProfilerEnds.cutOff(timeline);
    }

    /**
     * Turns the trace events of an XLA profile into rows. The writer (xla/tsl/profiler/convert/trace_events_to_json.cc in
     * github.com/openxla/xla) names planes and lines as processes and threads before the first event, and ends its list
     * with an empty event.
     */
    private static final class XlaTraceSink implements TraceEventReader.Sink {
        private final TimelineBuilder builder;
        private final XlaRows rows;
        private final XlaEvent current = new XlaEvent();
        private final Map<String, String> planes = new HashMap<>();
        private final Map<LineKey, String> lineNames = new HashMap<>();
        private final Map<LineKey, XlaLine> lines = new HashMap<>();

        private record LineKey(String pid, String tid) {}

        XlaTraceSink(TimelineBuilder builder) {
            this.builder = builder;
            this.rows = new XlaRows(builder);
        }

        @Override
        public void restart() {
            rows.clear();
            planes.clear();
            lineNames.clear();
            lines.clear();
        }

        @Override
        public void event(TraceEvent event) {
            switch (event.phase()) {
                case 'X' -> complete(event);
                case 'M' -> metadata(event);
                default -> {
                    boolean filler = event.phase() == 0
                            && event.name().isEmpty()
                            && event.pid().isEmpty();
                    if (!filler) {
                        String phase = event.phase() == 0 ? "none" : "" + event.phase();
                        builder.stats().count(Reason.UNKNOWN_PHASE, event.offsetBytes(), phase);
                    }
                }
            }
        }

        private void metadata(TraceEvent event) {
            String name = event.text(Arg.NAME, "");
            if (event.name().equals("process_name")) {
                planes.put(event.pid(), name);
            } else if (event.name().equals("thread_name")) {
                lineNames.put(new LineKey(event.pid(), event.tid()), name);
            }
        }

        private void complete(TraceEvent event) {
            if (!EventTimes.hasRange(event, builder.stats())) {
                return;
            }
            current.reset();
            current.name = event.name();
            current.startNs = event.tsNs();
            current.endNs = event.tsNs() + event.durationNs();
            current.hloOp = event.text(Arg.HLO_OP, "");
            current.hloModule = event.text(Arg.HLO_MODULE, "");
            current.memcpyDetails = event.text(Arg.MEMCPY_DETAILS, "");
            current.memsetDetails = event.text(Arg.MEMSET_DETAILS, "");
            current.correlation = event.number(Arg.CORRELATION, 0);
            XlaLine line = lines.computeIfAbsent(new LineKey(event.pid(), event.tid()), this::line);
            rows.add(line, current, event.offsetBytes());
        }

        private XlaLine line(LineKey key) {
            return XlaLine.of(planes.getOrDefault(key.pid, key.pid), key.tid, lineNames.getOrDefault(key, ""));
        }

        /**
         * Joins launches and declares the clock: the host's, from the profile's start, whose Unix time is not in this file.
         */
        void finish() {
            rows.finish();
            builder.clockDomain(new ClockDomain("xla", 0, -1));
        }
    }
}

package io.inferscope.formats.xla;

import com.google.protobuf.InvalidProtocolBufferException;
import io.inferscope.formats.xla.XplaneIndex.Plane;
import io.inferscope.formats.xla.XplaneIndex.Stat;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** The {@code xplane.pb} of a JAX or TensorFlow profile, alone or in the folder that the profiler writes. */
public final class XplaneImporter extends Importer {
    private static final String ENDING = ".xplane.pb";
    /** The first plane: its tag and length, perhaps its id, then its name. Bytes as characters. */
    private static final Pattern FIRST_PLANE = Pattern.compile(
            "\\n[\\x80-\\xff]{0,4}[\\x00-\\x7f](\\x08[\\x80-\\xff]{0,9}[\\x00-\\x7f])?\\x12[\\x01-\\x7f]"
                    + "(/host:|/device:|Task Environment|/virtualdevice:|#Chip|Host CPUs).*",
            Pattern.DOTALL);
    /** The beginning of 1973 as Unix time in ns: stamps relative to the profile's start are far below it. */
    private static final long UNIX_TIMES_NS = 100_000_000_000_000_000L;

    /** Planes and lines. */
    private static final int CONTAINERS = 2;

    private static final int MAX_COMPLAINT_CHARS = 200;

    public XplaneImporter() {
        super("xla", "JAX / TensorFlow profile (.xplane.pb, or the folder with plugins/profile in it)");
    }

    @Override
    public boolean recognises(TraceHead head) throws IOException {
        return head.isDirectory()
                ? XlaProfileFolder.find(head.file(), ENDING).isPresent()
                : FIRST_PLANE.matcher(head.text()).matches();
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws IOException, ImportException {
        Optional<XlaProfileFolder> folder = XlaProfileFolder.find(source.file(), ENDING);
        if (folder.isPresent()) {
            TraceSource chosen = new TraceSource(folder.get().file());
            builder.stats().source(chosen.name());
            readFile(chosen, builder);
            builder.coverage(new Coverage(
                    "jax.profiler", builder.rowCount(), 0, folder.get().leftAside()));
        } else {
            readFile(source, builder);
        }
    }

    @Override
    public Timeline finish(Timeline timeline) {
        return ProfilerEnds.cutOff(timeline);
    }

    private static void readFile(TraceSource source, TimelineBuilder builder) throws IOException, ImportException {
        XplaneIndex index = new XplaneIndex();
        XlaRows rows = new XlaRows(builder);
        Reading names = Reading.of(source, index::read);
        Reading events = Reading.of(source, in -> new XplaneEvents(in, index, rows, builder.stats()).read());
        (events.isDamaged() ? events : names).count(builder.stats());
        builder.stats().bytes(events.in.offset());
        if (names.in.textRepaired()) {
            builder.stats().count(Reason.BAD_TEXT, -1, "");
        }
        rows.finish();
        about(index, builder);
        source.requireRows(
                builder,
                "its planes are empty",
                "copy the file again, read the trace.json.gz beside it, or record again");
    }

    /** Adds the facts from outside the events. */
    private static void about(XplaneIndex index, TimelineBuilder builder) {
        long firstNs = index.planes().stream()
                .flatMap(plane -> plane.lines.stream())
                .mapToLong(line -> line.timestampNs)
                .filter(ns -> ns > 0)
                .min()
                .orElse(0);
        for (Plane plane : index.planes()) {
            Stat start = plane.stat("profile_start_time");
            if (start != null && firstNs < UNIX_TIMES_NS) {
                builder.originUnixNs(start.number(plane));
            }
            Stat device = plane.stat("gpu_device_name");
            XlaLine lane = XlaLine.of(plane.name, "", "");
            if (device != null && lane.device() != null) {
                DeviceFact.NAME.store(builder, lane.device(), device.text(plane));
            }
        }
        List<String> complaints = index.complaints();
        if (!complaints.isEmpty()) {
            String words = complaints.get(0);
            String why = words.length() > MAX_COMPLAINT_CHARS ? words.substring(0, MAX_COMPLAINT_CHARS) : words;
            builder.coverage(new Coverage("xla profiler", builder.rowCount(), 0, "it complained: " + why));
        }
        builder.clockDomain(new ClockDomain("xla", 0, -1));
    }

    /**
     * How a reading ended.
     *
     * @param in the input that was read
     * @param end why it ended early, null if it did not
     * @param detail the error
     */
    private record Reading(ProtoMessages in, @Nullable Reason end, String detail) {
        interface Body {
            void read(ProtoMessages in) throws IOException, ImportException;
        }

        static Reading of(TraceSource source, Body body) throws IOException, ImportException {
            try (TraceSource.CountingStream stream = source.open()) {
                ProtoMessages in = new ProtoMessages(stream, source.file().toString(), CONTAINERS);
                try {
                    body.read(in);
                    return new Reading(in, null, "");
                } catch (EOFException cut) {
                    return new Reading(in, Reason.TRUNCATED, "");
                } catch (ZipException e) {
                    return new Reading(in, Reason.MALFORMED, "damaged gzip stream: " + e.getMessage());
                } catch (InvalidProtocolBufferException e) {
                    String why = String.valueOf(e.getMessage());
                    boolean cut = why.contains("ended unexpectedly");
                    return new Reading(in, cut ? Reason.TRUNCATED : Reason.MALFORMED, cut ? "" : why);
                }
            }
        }

        boolean isDamaged() {
            return end != null || in.damages() > 0;
        }

        void count(ImportStats.Builder stats) {
            in.damagedContainers().count(Reason.MALFORMED, stats);
            in.damagedRecords().count(Reason.BAD_RECORD, stats);
            if (end != null) {
                stats.count(end, in.offset(), detail);
            }
        }
    }
}

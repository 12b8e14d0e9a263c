package io.inferscope.timeline.merge;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.cut.CutDocument;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.importer.ImportException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Puts several recordings on one timeline: on the axis of the first, whose stamps stay as they are. Tracks of equal
 * kind and key become one, unless the recordings are of different ranks. An event that two recordings contain is kept
 * once, from the earlier one.
 */
public final class TimelineMerge {
    /** Prefix of the properties of the inputs: {@code source.0.name} and so on. */
    private static final String SOURCE = "source.";

    private final TimelineBuilder builder = new TimelineBuilder();
    private final List<Recording> recordings = new ArrayList<>();
    private final List<ClockOffset> offsets = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private final Map<RowKey, Integer> handles = new HashMap<>();

    /**
     * One of several recordings on a timeline.
     *
     * @param name its file's name without folders
     * @param format its format
     * @param rank its rank; empty if not known
     * @param offsetNs the offset added to its times, in ns
     * @param errorBoundNs error bound of its times after that, in ns; -1 if not known
     * @param evidence the evidence for the offset
     */
    public record Source(String name, String format, String rank, long offsetNs, long errorBoundNs, String evidence) {}

    /** Two rows of different recordings with equal keys are one event. Ids are the builder's. */
    private record RowKey(RowKind kind, int track, long startNs, long endNs, int name, long correlation) {}

    /** Whether the recordings are of several ranks: these use the same ids for different processes and devices. */
    private final boolean ranksDiffer;

    private TimelineMerge(List<Recording> all) {
        ranksDiffer = areOfSeveralRanks(all);
    }

    private static boolean areOfSeveralRanks(List<Recording> all) {
        return all.stream().anyMatch(one -> all.stream().anyMatch(one::isOtherRankThan));
    }

    /**
     * Returns the prefix of the keys of a recording's processes and devices, if other recordings are on the timeline
     * too.
     */
    static String prefix(Recording recording, List<Recording> all) {
        return prefix(recording, areOfSeveralRanks(all));
    }

    private static String prefix(Recording recording, boolean ranksDiffer) {
        return ranksDiffer && !recording.rank().isEmpty() ? "rank " + recording.rank() + ": " : "";
    }

    /**
     * Merges recordings.
     *
     * @param recordings at least one; the first one's axis is that of the result
     * @throws ImportException when nothing shows the offset of a recording
     */
    public static Timeline of(List<Recording> recordings) throws ImportException {
        if (recordings.size() == 1) {
            return recordings.get(0).timeline();
        }
        TimelineMerge merge = new TimelineMerge(recordings);
        for (Recording recording : recordings) {
            merge.add(recording);
        }
        return merge.build();
    }

    private void add(Recording recording) throws ImportException {
        ClockOffset offset = offset(recording);
        RowCopy copy = new RowCopy(recording.timeline(), builder, offset, prefix(recording));
        BitSet twins = offset.oneCapture() && !recordings.isEmpty() ? twins(recording.timeline(), copy) : new BitSet();
        copy.copy(twins, row -> handles.getOrDefault(key(recording.timeline(), row, copy), -1));
        builder.stats().source(recording.name()).addAll(recording.timeline().importStats());
        builder.stats().count(Reason.RECORDED_TWICE, twins.cardinality(), -1, "");
        remember(recording.timeline(), copy, twins);
        describe(recording, offset, recordings.size());
        recordings.add(recording);
        offsets.add(offset);
    }

    private ClockOffset offset(Recording recording) throws ImportException {
        Long byHand = recording.givenOffsetNs();
        if (byHand != null) {
            return new ClockOffset(byHand, -1, "given by hand", false);
        }
        if (recordings.isEmpty()) {
            return new ClockOffset(0, 0, "its clock is the axis", true);
        }
        if (!TimelineInfo.LAID_OUT.equals(recording.timeline().properties().get(TimelineInfo.INSTANTS))) {
            for (int i = 0; i < recordings.size(); i++) {
                ClockOffset step = Offsets.between(recordings.get(i), recording).orElse(null);
                if (step != null) {
                    return sum(step, offsets.get(i), recordings.get(i).name(), i > 0);
                }
            }
        }
        throw new ImportException(
                recording.name(),
                "nothing shows how its clock relates to that of "
                        + recordings.get(0).name()
                        + ": not both state their Unix time, and their shared events do not match clearly",
                "give the offset by hand: --offset " + recording.name() + "=+12.5ms is added to its times");
    }

    /** The offset to a recording that has an offset itself. */
    private static ClockOffset sum(ClockOffset step, ClockOffset base, String name, boolean named) {
        long errorNs =
                step.errorBoundNs() < 0 || base.errorBoundNs() < 0 ? -1 : step.errorBoundNs() + base.errorBoundNs();
        String evidence = named ? step.evidence() + ", with " + name : step.evidence();
        return new ClockOffset(step.ns() + base.ns(), errorNs, evidence, step.oneCapture());
    }

    private String prefix(Recording recording) {
        return prefix(recording, ranksDiffer);
    }

    private RowKey key(Timeline timeline, int row, RowCopy copy) {
        return new RowKey(
                timeline.kind(row),
                copy.track(timeline.track(row)),
                timeline.startNs(row),
                timeline.endNs(row),
                builder.name(timeline.name(row)),
                timeline.correlation(row));
    }

    private BitSet twins(Timeline timeline, RowCopy copy) {
        BitSet twins = new BitSet();
        for (int row = 0; row < timeline.rowCount(); row++) {
            twins.set(row, handles.containsKey(key(timeline, row, copy)));
        }
        return twins;
    }

    /** Remembers rows of parts of one capture. Only these can contain the same rows. */
    private void remember(Timeline timeline, RowCopy copy, BitSet twins) {
        if (timeline.properties().containsKey("trace_id")) {
            for (int row = twins.nextClearBit(0); row < timeline.rowCount(); row = twins.nextClearBit(row + 1)) {
                handles.put(key(timeline, row, copy), copy.handle(row));
            }
        }
    }

    /** Returns the recordings that were put on a timeline; none for a single recording. */
    public static List<Source> sources(Timeline timeline) {
        Map<String, String> properties = timeline.properties();
        List<Source> sources = new ArrayList<>();
        for (int i = 0; properties.containsKey(SOURCE + i + ".name"); i++) {
            String prefix = SOURCE + i + '.';
            sources.add(new Source(
                    properties.getOrDefault(prefix + "name", ""),
                    properties.getOrDefault(prefix + "format", ""),
                    properties.getOrDefault(prefix + "rank", ""),
                    timeline.number(prefix + "offset_ns", 0),
                    timeline.number(prefix + "error_bound_ns", -1),
                    properties.getOrDefault(prefix + "evidence", "")));
        }
        return sources;
    }

    private void describe(Recording recording, ClockOffset offset, int number) {
        TimelineInfo info = recording.timeline().info();
        String rank = prefix(recording);
        info.properties().forEach((key, value) -> {
            String root = key.startsWith("device.") ? "device." : key.startsWith("process.") ? "process." : "";
            String unique = root.isEmpty() ? key : root + rank + key.substring(root.length());
            if (!key.equals(TimelineInfo.CUT) && known.add(unique)) {
                builder.property(unique, value);
            }
        });
        String prefix = SOURCE + number + '.';
        builder.property(prefix + "name", recording.name());
        builder.property(prefix + "format", info.format());
        if (!recording.rank().isEmpty()) {
            builder.property(prefix + "rank", recording.rank());
        }
        builder.property(prefix + "offset_ns", Long.toString(offset.ns()));
        builder.property(prefix + "error_bound_ns", Long.toString(offset.errorBoundNs()));
        builder.property(prefix + "evidence", offset.evidence());
        info.clockDomains().forEach(builder::clockDomain);
        info.coverage().forEach(builder::coverage);
        info.overheads().forEach(builder::overhead);
    }

    private Timeline build() {
        linkAcrossParts();
        builder.originUnixNs(
                recordings.get(0).timeline().originUnixNs() - offsets.get(0).ns());
        TreeSet<String> formats = new TreeSet<>();
        recordings.forEach(recording -> formats.add(recording.timeline().info().format()));
        Timeline merged = builder.build(String.join(" + ", formats));
        long toNs = completeNs();
        return toNs == Long.MAX_VALUE ? merged : CutDocument.upTo(merged, toNs);
    }

    /** Returns the instant up to which every recording is complete. */
    private long completeNs() {
        long toNs = Long.MAX_VALUE;
        for (int i = 0; i < recordings.size(); i++) {
            toNs = Math.min(
                    toNs,
                    completeNs(recordings.get(i).timeline(), offsets.get(i).ns()));
        }
        return toNs;
    }

    /** Returns the instant up to which a recording is complete; no limit if it states none, or one beyond the axis. */
    private static long completeNs(Timeline timeline, long offsetNs) {
        long cutNs = timeline.number(TimelineInfo.CUT, Long.MAX_VALUE);
        long movedNs = cutNs + offsetNs;
        boolean overflows = ((cutNs ^ movedNs) & (offsetNs ^ movedNs)) < 0;
        return cutNs == Long.MAX_VALUE || overflows ? Long.MAX_VALUE : movedNs;
    }

    /** In parts of one capture, a launch may be in one part and its operation in another. */
    private void linkAcrossParts() {
        if (offsets.stream().filter(ClockOffset::oneCapture).count() < 2) {
            return;
        }
        BitSet linked = builder.linkTargets();
        CorrelationLinker linker = new CorrelationLinker(builder::startNsAt);
        for (int row = 0; row < builder.rowCount(); row++) {
            boolean launched = builder.kindAt(row).isDeviceOperation() && linked.get(row);
            if (builder.correlationAt(row) != 0 && !launched) {
                linker.add(row, builder.kindAt(row), CorrelationLinker.ONE_PROCESS, builder.correlationAt(row));
            }
        }
        linker.link((LinkKind kind, int from, int to, int confidence) -> {
            if (!linked.get(to)) {
                builder.link(kind, from, to, confidence);
            }
        });
    }
}

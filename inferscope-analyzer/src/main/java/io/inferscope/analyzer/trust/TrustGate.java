package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.DeviceActivity;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Judges the recording before any rule does, on the stamps as they were recorded. A check fails closed: it says what to record instead. */
public final class TrustGate {
    /** Formats whose writers put device events after the host's. */
    private static final Set<String> DEVICES_LAST = Set.of("kineto", "xla");

    private static final Pattern DEVICE_OF_PROCESS = Pattern.compile("process\\.\\d+\\.device");

    private final Analysis analysis;
    private final Timeline timeline;
    private final Recorder recorder;

    /** The calls that led to device work. */
    private final BitSet answered;

    private TrustGate(Analysis analysis) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.recorder = Recorder.byFormat(timeline.info().format());
        this.answered = answeredLaunches(analysis);
    }

    /** Returns every check, in a fixed order. Where instants were not recorded, no check that reads them is made. */
    public static List<TrustCheck> check(Analysis analysis) {
        TrustGate gate = new TrustGate(analysis);
        if (!gate.timeline.instantsAreRecorded()) {
            return List.of(gate.lostEvents(), noInstants());
        }
        return List.of(
                gate.lostEvents(),
                gate.knownAccelerator(),
                gate.launchesHaveDeviceWork(),
                gate.graphLaunchesHaveKernels(),
                gate.operationsHaveLaunches(),
                gate.kernelsFollowTheirLaunch(),
                gate.streamsDoNotOverlap(),
                gate.stepsHaveDeviceWork(),
                gate.blockedCallsHaveDeviceWork(),
                gate.firstOperationStartsAtOnce(),
                gate.profilerIsSmall(),
                SampleChecks.carryTime(analysis),
                SampleChecks.tellWaiting(analysis));
    }

    static TrustCheck pass(String check, String detail) {
        return new TrustCheck(check, true, false, detail, "");
    }

    static TrustCheck fail(String check, boolean withholds, String detail, String remedy) {
        return new TrustCheck(check, false, withholds, detail, remedy);
    }

    /** Says how many of some there are; of none at all, that. */
    private static String part(long some, long all, String things, String state) {
        return all == 0 ? "no " + things + " to look at" : some + " of " + all + " " + things + " " + state;
    }

    private static TrustCheck noInstants() {
        return fail(
                "instants-are-recorded",
                true,
                "only durations and their order are recorded: what stands between them, idle time above all, is not known",
                "record a timeline, for instance with nsys (--trace=cuda,nvtx)");
    }

    private TrustCheck lostEvents() {
        ImportStats stats = timeline.importStats();
        long dropped = stats.count(Effect.DROPPED);
        long repaired = stats.count(Effect.REPAIRED);
        long cuts = stats.count(Reason.TRUNCATED)
                + stats.count(Reason.MALFORMED)
                + stats.count(Reason.TRAILING_DATA); // One each, whatever is lost: never few.
        String detail = dropped + " dropped and " + repaired + " repaired of " + stats.eventsRead() + " events read"
                + (dropped + repaired == 0 ? "" : ": " + stats.damage());
        if (dropped + repaired == 0) {
            return pass("lost-events", detail);
        }
        boolean many = dropped - cuts > analysis.threshold("trust.dropped.share") * Math.max(1, stats.eventsRead());
        boolean devicesLost = wasCutBeforeDeviceWork(stats);
        return cuts > 0 || stats.count(Reason.RECORDING_CUT) > 0 || many
                ? fail(
                        "lost-events",
                        many || devicesLost,
                        devicesLost ? detail + "; device work, which such files hold last, may have been lost" : detail,
                        "record or copy the trace again and check that the file is complete")
                : pass("lost-events", detail);
    }

    /** A document that lists the host's events first and is cut before any of a device looks like that of a program without a device. */
    private boolean wasCutBeforeDeviceWork(ImportStats stats) {
        boolean cut = stats.count(Reason.TRUNCATED) + stats.count(Reason.MALFORMED) > 0;
        return cut
                && analysis.devices().isEmpty()
                && DEVICES_LAST.contains(timeline.info().format());
    }

    private TrustCheck knownAccelerator() {
        List<String> users = analysis.devices().isEmpty() ? deviceUsers() : List.of();
        if (!users.isEmpty()) {
            return fail(
                    "known-accelerator",
                    true,
                    "a GPU is in use (" + String.join(", ", users)
                            + ") and nothing that it did is recorded; this is not a CPU-only program, and its device's busy and idle"
                            + " time are not known",
                    "record kernels as well: `inferscope run --ops` opens windows of torch.profiler, or "
                            + Recorder.SYSTEM_WIDE);
        }
        if (!analysis.hasOtherAccelerator()) {
            return pass("known-accelerator", "every event category is known");
        }
        TreeSet<String> categories = new TreeSet<>();
        for (int row : analysis.rows(RowKind.OTHER)) {
            categories.add(timeline.attributeText(row, Attribute.DETAIL));
        }
        return fail(
                "known-accelerator",
                analysis.devices().isEmpty(),
                "events of categories that this version cannot place on a device: " + String.join(", ", categories)
                        + "; this is not a CPU-only program, and its device's busy and idle time are not known",
                "read the host side only, or record with a tool whose device categories are kernel and gpu_memcpy");
    }

    /** Returns the processes that the host collector saw with a GPU's device file mapped. */
    private List<String> deviceUsers() {
        return timeline.info().properties().entrySet().stream()
                .filter(property -> DEVICE_OF_PROCESS.matcher(property.getKey()).matches())
                .map(property -> "process "
                        + property.getKey()
                                .substring(
                                        "process.".length(), property.getKey().lastIndexOf('.')) + ": "
                        + property.getValue())
                .toList();
    }

    private TrustCheck launchesHaveDeviceWork() {
        long launches = 0;
        long empty = 0;
        for (int row : analysis.apiCalls()) {
            if (analysis.isLaunch(row)) {
                launches++;
                empty += answered.get(row) ? 0 : 1;
            }
        }
        String detail = part(empty, launches, "launch and copy calls", "have no device operation");
        boolean bad = launches > 0 && empty > analysis.threshold("trust.unlaunched.share") * launches;
        return bad
                ? fail(
                        "launches-have-device-work",
                        true,
                        detail + ": device events were lost or not recorded",
                        "let no other profiler run at the same time, and " + recorder.again())
                : pass("launches-have-device-work", detail);
    }

    private static BitSet answeredLaunches(Analysis analysis) {
        BitSet answered = new BitSet();
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                if (device.launch(i) >= 0) {
                    answered.set(device.launch(i));
                }
            }
        }
        return answered;
    }

    private TrustCheck graphLaunchesHaveKernels() {
        int[] launches = analysis.rows(RowKind.GRAPH_LAUNCH);
        long empty = 0;
        for (int row : launches) {
            empty += answered.get(row) ? 0 : 1;
        }
        String detail = part(empty, launches.length, "graph launches", "have no replayed kernel");
        return empty > 0
                ? fail(
                        "graph-launches-have-kernels",
                        true,
                        detail + ": idle time under them may be compute",
                        "record graph nodes: " + recorder.graphNodes())
                : pass("graph-launches-have-kernels", detail);
    }

    private TrustCheck operationsHaveLaunches() {
        long operations = 0;
        long unlaunched = 0;
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                operations++;
                unlaunched += device.launch(i) < 0 ? 1 : 0;
            }
        }
        String detail = part(unlaunched, operations, "device operations", "have no launch in the trace");
        return unlaunched > 0
                ? fail(
                        "operations-have-launches",
                        unlaunched > analysis.threshold("trust.unlaunched.share") * operations,
                        detail + ": idle time that they end is unattributed",
                        analysis.apiCalls().length > 0
                                ? "start the profiler before the work is launched, or skip the first step"
                                : "record the host's calls too: " + recorder.hostCalls())
                : pass("operations-have-launches", detail);
    }

    private TrustCheck kernelsFollowTheirLaunch() {
        long linked = 0;
        long early = 0;
        long worstNs = 0;
        for (DeviceActivity device : analysis.devices()) {
            for (int i = 0; i < device.operationCount(); i++) {
                if (device.launch(i) >= 0) {
                    linked++;
                    long latencyNs = device.launchLatencyNs(i);
                    early += latencyNs < 0 ? 1 : 0;
                    worstNs = Math.min(worstNs, latencyNs);
                }
            }
        }
        String detail = part(early, linked, "operations", "start before their launch call")
                + (early > 0 ? ", by up to " + Units.duration(-worstNs) : "");
        return early > 0
                ? fail(
                        "kernels-follow-their-launch",
                        early > analysis.threshold("trust.early-kernels.share") * linked,
                        detail + ": host and device clocks disagree",
                        recorder.again())
                : pass("kernels-follow-their-launch", detail);
    }

    private TrustCheck streamsDoNotOverlap() {
        long overlaps = 0;
        long overlapNs = 0;
        long busyNs = 0;
        for (Track stream : timeline.tracks()) {
            if (stream.kind() != TrackKind.STREAM) {
                continue;
            }
            long endNs = Long.MIN_VALUE;
            for (int row = timeline.firstRow(stream.id()); row < timeline.endRow(stream.id()); row++) {
                if (timeline.kind(row).isDeviceOperation() && timeline.durationNs(row) > 0) {
                    long sharedNs = Math.min(endNs, timeline.endNs(row)) - timeline.startNs(row);
                    if (endNs != Long.MIN_VALUE && sharedNs > 0) {
                        overlaps++;
                        overlapNs += sharedNs;
                    }
                    busyNs += timeline.durationNs(row);
                    endNs = Math.max(endNs, timeline.endNs(row));
                }
            }
        }
        String detail =
                overlaps + " operations overlap another of their stream, " + Units.duration(overlapNs) + " in all";
        boolean large = overlapNs > analysis.threshold("trust.overlap.share") * busyNs;
        return large && overlaps > 0
                ? fail(
                        "streams-do-not-overlap",
                        overlapNs > 10 * analysis.threshold("trust.overlap.share") * busyNs,
                        detail + " (" + Units.percent((double) overlapNs / busyNs)
                                + " of busy time): stamps are wrong, or programmatic dependent launch is in use",
                        recorder.again())
                : pass("streams-do-not-overlap", detail);
    }

    private TrustCheck stepsHaveDeviceWork() {
        Intervals busy = analysis.busy();
        long steps = 0;
        long blind = 0;
        long blindNs = 0;
        for (int row : analysis.rows(RowKind.ANNOTATION)) {
            if (timeline.name(row).startsWith("ProfilerStep#")) {
                steps++;
                if (busy.totalWithinNs(timeline.startNs(row), timeline.endNs(row)) == 0) {
                    blind++;
                    blindNs += timeline.durationNs(row);
                }
            }
        }
        String detail = part(blind, steps, "profiler steps", "have no device work");
        return blind > 0 && !analysis.devices().isEmpty()
                ? fail(
                        "steps-have-device-work",
                        blindNs
                                > analysis.threshold("trust.blind-steps.share")
                                        * analysis.window().durationNs(),
                        detail + ": their device events may be lost",
                        "record fewer steps at once, and " + recorder.again())
                : pass("steps-have-device-work", detail);
    }

    /** A call that waits for the device while the device is said to be idle: the trace was sliced, or the work was lost. */
    private TrustCheck blockedCallsHaveDeviceWork() {
        Intervals.Builder blocked = new Intervals.Builder(16);
        for (int row : analysis.apiCalls()) {
            if (analysis.isSynchronising(row)) {
                blocked.add(timeline.startNs(row), timeline.endNs(row));
            }
        }
        long idleNs = blocked.build()
                .clip(analysis.window().startNs(), analysis.window().endNs())
                .minus(analysis.busy())
                .totalNs();
        double share = analysis.window().durationNs() == 0
                ? 0
                : (double) idleNs / analysis.window().durationNs();
        String detail = "synchronising calls wait " + Units.duration(idleNs) + " (" + Units.percent(share)
                + " of the window) while no device work is recorded";
        return share > analysis.threshold("trust.blocked.share")
                ? fail(
                        "blocked-calls-have-device-work",
                        true,
                        detail + ": the device work they waited for is missing",
                        recorder.again())
                : pass("blocked-calls-have-device-work", detail);
    }

    /** Before the first recorded operation nothing recorded can hold it up: a long wait there means that earlier device work is missing. */
    private TrustCheck firstOperationStartsAtOnce() {
        long worstNs = 0;
        for (DeviceActivity device : analysis.devices()) {
            if (device.launch(0) >= 0) {
                worstNs = Math.max(worstNs, device.queueDelayNs(0));
            }
        }
        String detail = analysis.devices().isEmpty()
                ? "no device operation is recorded"
                : "the first device operation starts " + Units.duration(worstNs) + " after its launch call returned";
        return worstNs > analysis.threshold("trust.first-operation.ns")
                ? fail(
                        "first-operation-starts-at-once",
                        false,
                        detail + ": earlier device work is missing, and the head of the window is not known to be idle",
                        recorder.again())
                : pass("first-operation-starts-at-once", detail);
    }

    private TrustCheck profilerIsSmall() {
        Intervals.Builder overhead = new Intervals.Builder(16);
        for (int row : analysis.rows(RowKind.PROFILER_OVERHEAD)) {
            overhead.add(timeline.startNs(row), timeline.endNs(row));
        }
        long durationNs = Math.max(1, analysis.window().durationNs());
        double share = (double) overhead.build()
                        .totalWithinNs(
                                analysis.window().startNs(), analysis.window().endNs())
                / durationNs;
        String detail = "the profiler's own recorded work is " + Units.percent(share) + " of the window";
        if (share < analysis.threshold("trust.profiler.noted-share")) {
            return pass("profiler-is-small", detail);
        }
        return fail(
                "profiler-is-small",
                share >= analysis.threshold("trust.profiler.contaminated-share"),
                detail,
                "record fewer events: no stacks, no shapes, fewer steps");
    }
}

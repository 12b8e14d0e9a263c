package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.DeviceWindows;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Records that were dropped, by their recorder or on import, and a capture that was cut off. */
final class LostEvents extends Check {
    private static final Threshold DROPPED = Threshold.of("trust.dropped.share");
    private static final Threshold DEVICE_UNRECORDED = Threshold.of("trust.device-unrecorded.share");
    private static final Threshold HOLE = Threshold.of("trust.hole.share");

    private static final int PIECES = 1_000;
    private static final int ROWS_BETWEEN_LOOKS = 1024;

    /** A program without load may do nothing for a shorter time. */
    private static final long LEAST_HOLE_NS = 1_000_000_000;

    /** Set by the importer of spools: time in ns in which device work was not recorded although its recorder ran. */
    private static final String INVALID = "inferscope.device_stamps_invalid";

    private static final String UNRECORDED = "inferscope.device_unrecorded_ns";

    @Override
    TrustCheck of(RecordingFacts recorded) {
        List<TrustCheck> failed = Stream.of(
                        unrecorded(recorded),
                        outside(recorded),
                        contradicting(recorded),
                        untimed(recorded),
                        hole(recorded),
                        lost(recorded))
                .flatMap(Optional::stream)
                .toList();
        if (failed.isEmpty()) {
            return pass(counts(recorded.stats()));
        }
        TrustCheck worst =
                failed.stream().filter(TrustCheck::withholds).findFirst().orElse(failed.get(0));
        String details = Stream.concat(Stream.of(worst), failed.stream().filter(one -> !one.equals(worst)))
                .map(TrustCheck::detail)
                .collect(Collectors.joining("; "));
        return fail(worst.withholds(), details, worst.remedy());
    }

    private static String counts(ImportStats stats) {
        long dropped = stats.count(Effect.DROPPED);
        long repaired = stats.count(Effect.REPAIRED);
        return dropped + " dropped and " + repaired + " repaired of " + stats.eventsRead() + " events read"
                + (dropped + repaired == 0 ? "" : ": " + stats.damage())
                + (stats.bytesLost() == 0
                        ? ""
                        : "; " + Units.bytes(stats.bytesLost()) + ", " + Units.percent(lostShare(stats))
                                + " of the input, could not be read");
    }

    private Optional<TrustCheck> outside(RecordingFacts recorded) {
        long outsideNs = outsideOfWindows(recorded);
        return recorded.shareOfWindow(outsideNs) <= recorded.threshold(DEVICE_UNRECORDED)
                ? Optional.empty()
                : Optional.of(
                        fail(
                                true,
                                "device work was not recorded for " + Units.duration(outsideNs)
                                        + " of the window, as asked for: what looks idle there may be busy",
                                "explain one of the stretches in which it was: `inferscope analyze FILE --judge gpu-window-1`"));
    }

    private Optional<TrustCheck> contradicting(RecordingFacts recorded) {
        return Optional.ofNullable(recorded.timeline().properties().get(TimelineInfo.CONTRADICTIONS))
                .filter(records -> !records.isEmpty())
                .map(records -> fail(
                        true,
                        records + ", have times that contradict those of their neighbours",
                        recorded.recorder().again()));
    }

    private Optional<TrustCheck> untimed(RecordingFacts recorded) {
        ImportStats stats = recorded.stats();
        long untimed = stats.count(Reason.NOT_TIMED) + stats.count(Reason.NEGATIVE_DURATION);
        long operations = untimed + operations(recorded);
        return untimed <= recorded.threshold(DROPPED) * operations
                ? Optional.empty()
                : Optional.of(fail(
                        true,
                        untimed + " of " + operations
                                + " device operations have no times, as the recorder did not get them: when the"
                                + " device was busy is not known",
                        recorded.recorder().again()));
    }

    /** Most of the window in one piece without a row of any thread or device: a recorder that was off leaves such a hole. */
    private Optional<TrustCheck> hole(RecordingFacts recorded) {
        if (recorded.analysis().isRun() || recorded.windowNs() < LEAST_HOLE_NS) {
            return Optional.empty();
        }
        long ns = longestHoleNs(recorded);
        double share = recorded.shareOfWindow(ns);
        return share <= recorded.threshold(HOLE) || ns < LEAST_HOLE_NS
                ? Optional.empty()
                : Optional.of(fail(
                        true,
                        "for " + Units.duration(ns) + " in one piece, " + Units.percent(Math.min(1, share))
                                + " of the window, no thread and no device has any event: the recorder was off, or the file"
                                + " holds several recordings, so this is no idle time",
                        "record without a pause, or each part to a file of its own: "
                                + recorded.recorder().again()));
    }

    /** Returns the longest piece of the window without a row, to a thousandth of the window. */
    private static long longestHoleNs(RecordingFacts recorded) {
        Timeline timeline = recorded.timeline();
        long fromNs = recorded.analysis().window().startNs();
        long pieceNs = recorded.windowNs() / PIECES + 1;
        BitSet recordedIn = new BitSet(PIECES);
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (row % ROWS_BETWEEN_LOOKS == 0 && recordedIn.nextClearBit(0) >= PIECES) {
                return 0; // Mostly one thread alone fills all.
            }
            RowKind kind = timeline.kind(row);
            boolean isOfProfiler = kind == RowKind.PROFILER_WINDOW || kind == RowKind.PROCESS;
            if (!isOfProfiler && timeline.endNs(row) >= fromNs) {
                long first = Math.max(0, timeline.startNs(row) - fromNs) / pieceNs;
                long last = (timeline.endNs(row) - fromNs) / pieceNs;
                recordedIn.set((int) Math.min(PIECES, first), (int) Math.min(PIECES, last) + 1);
            }
        }
        int longest = 0;
        for (int from = recordedIn.nextClearBit(0); from < PIECES; ) {
            int to = recordedIn.nextSetBit(from);
            longest = Math.max(longest, (to < 0 ? PIECES : to) - from);
            from = to < 0 ? PIECES : recordedIn.nextClearBit(to);
        }
        return longest * pieceNs;
    }

    private Optional<TrustCheck> lost(RecordingFacts recorded) {
        ImportStats stats = recorded.stats();
        long cuts = stats.count(Reason.TRUNCATED)
                + stats.count(Reason.MALFORMED)
                + stats.count(Reason.TRAILING_DATA); // Counted once however much is lost, so never negligible.
        boolean many =
                stats.count(Effect.DROPPED) - cuts > recorded.threshold(DROPPED) * Math.max(1, stats.eventsRead())
                        || lostShare(stats) > recorded.threshold(DROPPED);
        if (cuts == 0 && stats.count(Reason.RECORDING_CUT) == 0 && !many) {
            return Optional.empty();
        }
        String cut = afterCut(recorded);
        return Optional.of(fail(
                many || withholdsCut(recorded), counts(stats) + (cut.isEmpty() ? "" : "; " + cut), remedy(recorded)));
    }

    private static long operations(RecordingFacts recorded) {
        return recorded.analysis().devices().stream()
                .mapToLong(DeviceActivity::operationCount)
                .sum();
    }

    private static boolean withholdsCut(RecordingFacts recorded) {
        return wasCutBeforeDeviceWork(recorded)
                || wasCutBeforeLaunches(recorded)
                || recorded.timeline().properties().containsKey(TimelineInfo.CUT_UNKNOWN);
    }

    /** Returns what a cut of the document means for what can be judged. */
    private static String afterCut(RecordingFacts recorded) {
        if (wasCutBeforeDeviceWork(recorded)) {
            return "device work, which such files hold last, may have been lost";
        }
        if (wasCutBeforeLaunches(recorded)) {
            return "the calls that launched the device work may have been lost";
        }
        Map<String, String> properties = recorded.timeline().properties();
        String unknown = properties.getOrDefault(TimelineInfo.CUT_UNKNOWN, "");
        long cutNs = recorded.timeline().number(TimelineInfo.CUT, Long.MIN_VALUE);
        if (cutNs == Long.MIN_VALUE) {
            return unknown.isEmpty()
                    ? ""
                    : "its " + unknown
                            + " is not in order of time in the file, so what the cut lost may be of any time";
        }
        String after = Units.duration(cutNs - recorded.analysis().window().startNs()) + " of the window";
        return unknown.isEmpty()
                ? "calls or device work after the first " + after
                        + " were lost with the end of the file, so only these are judged"
                : "calls or device work after the first " + after
                        + " were lost with the end of the file, which is most of it";
    }

    private static double lostShare(ImportStats stats) {
        return (double) stats.bytesLost() / Math.max(1, stats.bytesRead());
    }

    /** Returns the time outside the windows that the user asked to record. */
    private static long outsideOfWindows(RecordingFacts recorded) {
        long fromNs = recorded.analysis().window().startNs();
        long toNs = recorded.analysis().window().endNs();
        return DeviceWindows.of(recorded.timeline())
                .map(windows -> toNs - fromNs - windows.totalWithinNs(fromNs, toNs))
                .orElse(0L);
    }

    /** Reports time in which the recorder received no records, so a device that looks idle may be busy. */
    private Optional<TrustCheck> unrecorded(RecordingFacts recorded) {
        long ns = recorded.timeline().number(UNRECORDED, 0);
        if (ns <= 0) {
            return Optional.empty();
        }
        double share = recorded.shareOfWindow(ns);
        return Optional.of(fail(
                share > recorded.threshold(DEVICE_UNRECORDED),
                "device work was not recorded for " + Units.duration(ns) + ", " + Units.percent(Math.min(1, share))
                        + " of the window, although the program went on: what looks idle there may be busy",
                recorded.timeline().properties().containsKey(INVALID)
                        ? "update libcupti, or record another level of detail: `inferscope doctor -- COMMAND` names its known defects"
                        : RecordingRemedy.of("two-profilers").again()));
    }

    /**
     * Whether the document may have been cut before its device events. It then looks like the recording of a program
     * without a device.
     */
    private static boolean wasCutBeforeDeviceWork(RecordingFacts recorded) {
        return wasCut(recorded)
                && !recorded.hasDevices()
                && NameRole.DEVICES_LAST_FORMAT.in(recorded.timeline().info().format());
    }

    /** Whether the document may have been cut before the calls that launched its device work: none of it has one. */
    private static boolean wasCutBeforeLaunches(RecordingFacts recorded) {
        return wasCut(recorded)
                && recorded.hasDevices()
                && !recorded.analysis().missingOperations().isAnyAnswered();
    }

    private static boolean wasCut(RecordingFacts recorded) {
        return recorded.stats().count(Reason.TRUNCATED) + recorded.stats().count(Reason.MALFORMED) > 0;
    }

    private static String remedy(RecordingFacts recorded) {
        if (recorded.stats().count(Reason.RECORDING_CUT) > 0) {
            return "let the recording end with the program, and do not kill InferScope itself: `inferscope run -- COMMAND`";
        }
        if (recorded.stats().count(Reason.DISK_FULL) > 0) {
            return "free space on the disk, or record to another one: "
                    + "`inferscope run --trace /ELSEWHERE/trace.json.gz -- COMMAND`";
        }
        if (recorded.stats().count(Reason.CANNOT_GROW) > 0) {
            return "let the program write larger files (`ulimit -f`) and open more of them (`ulimit -n`), "
                    + "and leave the spool folder in place while it runs";
        }
        if (recorded.stats().count(Reason.TRAILING_DATA) > 0 && !wasCut(recorded)) {
            return "if another document follows, as where a writer appends, give each a file of its own: "
                    + "`inferscope analyze FOLDER`; else " + recorded.recorder().again();
        }
        if (recorded.stats().count(Reason.RECORDER_DROPPED) == 0) {
            return "copy the file again and check that it is complete; if it is, "
                    + recorded.recorder().again();
        }
        return recorded.analysis().isRun()
                ? "give each recorder more room: `inferscope run --trace-size-mb 400 -- COMMAND`"
                : "record fewer events or a shorter time, with a larger buffer; "
                        + recorded.recorder().again();
    }
}

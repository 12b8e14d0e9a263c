package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.analysis.NaiveAccount.Time;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The definitions of time accounting, written a second time to be obviously right and not fast: every ledger of every device and of
 * every thread. Only what a row is called is the product's opinion; what lies where in time is computed here.
 */
final class NaiveLedger {
    private final Timeline timeline;
    private final Stretch window;
    private final Map<String, Map<LedgerClass, Time>> ledgers = new TreeMap<>();
    private final Map<String, Map<String, Long>> blame = new TreeMap<>();
    private final Map<Integer, Map<LedgerClass, Time>> threadLedgers = new TreeMap<>();

    /** Computes everything; stretches with more than {@code mostStamps} stamps are halved before they are looked at. */
    NaiveLedger(Timeline timeline, NaiveDevice.Opinion opinion, int mostStamps) {
        this.timeline = timeline;
        this.window = findWindow();
        ElementaryIntervals intervals = new ElementaryIntervals(timeline, mostStamps);
        Map<Integer, NaiveThread> threads = new HashMap<>();
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.THREAD) {
                NaiveThread thread = new NaiveThread(timeline, track.id(), opinion, intervals, threads);
                threads.put(track.id(), thread);
            }
        }
        threads.forEach((track, thread) -> threadLedgers.put(
                track, thread.account(window.startNs(), window.endNs()).ofStretch(window.durationNs())));
        int[] launchOf = launches(timeline);
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.DEVICE && anyRow(r -> isOperationOf(r, track.id()))) {
                NaiveDevice device =
                        new NaiveDevice(timeline, track.id(), window, opinion, launchOf, threads, intervals).account();
                device.ledgers().forEach((part, times) -> ledgers.put("device " + track.key() + ", " + part, times));
                blame.put(track.key(), device.blame());
            }
        }
    }

    private boolean anyRow(IntPredicate test) {
        return IntStream.range(0, timeline.rowCount()).anyMatch(test);
    }

    private boolean isOperationOf(int row, int device) {
        return timeline.kind(row).isDeviceOperation()
                && timeline.tracks().get(timeline.track(row)).parent() == device;
    }

    /** The launch of each row, -1 for none. Where several are recorded, a direct one comes before a replay, then the first row. */
    static int[] launches(Timeline timeline) {
        int[] launchOf = new int[timeline.rowCount()];
        Arrays.fill(launchOf, -1);
        Links links = timeline.links();
        for (LinkKind kind : new LinkKind[] {LinkKind.GRAPH_REPLAY, LinkKind.LAUNCH}) {
            int[] best = new int[timeline.rowCount()];
            Arrays.fill(best, Integer.MAX_VALUE);
            for (int i = 0; i < links.count(); i++) {
                if (links.kind(i) == kind) {
                    best[links.toRow(i)] = Math.min(best[links.toRow(i)], links.fromRow(i));
                    launchOf[links.toRow(i)] = best[links.toRow(i)];
                }
            }
        }
        return launchOf;
    }

    /**
     * From the first to the last activity: of the processes and devices where whole processes were recorded, else of every recorded
     * thread and device. torch.profiler's own start and stop are cut off where they lie before and after all device work.
     */
    private Stretch findWindow() {
        boolean processes = anyRow(r -> timeline.kind(r) == RowKind.PROCESS);
        int[] rows = rows(r -> processes ? isProcessOrOperation(r) : isActivity(r));
        if (rows.length == 0) {
            return new Stretch(0, 0);
        }
        Stretch all = extent(rows);
        int[] operations = rows(r -> timeline.kind(r).isDeviceOperation());
        long firstNs = operations.length == 0 ? all.endNs() : extent(operations).startNs();
        long lastNs =
                operations.length == 0 ? all.startNs() : extent(operations).endNs();
        long startNs = IntStream.of(rows(r -> isProfiler(r, "start_trace") && timeline.endNs(r) <= firstNs))
                .mapToLong(timeline::endNs)
                .reduce(all.startNs(), Math::max);
        long endNs = IntStream.of(rows(r -> isProfiler(r, "stop_trace") && timeline.startNs(r) >= lastNs))
                .mapToLong(timeline::startNs)
                .reduce(all.endNs(), Math::min);
        return startNs < endNs ? new Stretch(startNs, endNs) : all;
    }

    private boolean isProcessOrOperation(int row) {
        return timeline.kind(row) == RowKind.PROCESS || timeline.kind(row).isDeviceOperation();
    }

    private boolean isActivity(int row) {
        return switch (timeline.kind(row)) {
            case DEVICE_SYNC, THREAD_STATE, STACK_SAMPLE, OTHER -> true;
            default -> timeline.kind(row).isHostActivity() || timeline.kind(row).isDeviceOperation();
        };
    }

    private boolean isProfiler(int row, String function) {
        return timeline.kind(row) == RowKind.PYTHON_FUNCTION
                && timeline.name(row).matches("torch/profiler/profiler\\.py\\(.*: " + function);
    }

    private int[] rows(IntPredicate test) {
        return IntStream.range(0, timeline.rowCount()).filter(test).toArray();
    }

    private Stretch extent(int[] rows) {
        return new Stretch(
                IntStream.of(rows).mapToLong(timeline::startNs).min().orElseThrow(),
                IntStream.of(rows).mapToLong(timeline::endNs).max().orElseThrow());
    }

    /** Returns what is explained. */
    Stretch window() {
        return window;
    }

    /** Returns the ledgers of the devices by {@code device 0, span}. */
    Map<String, Map<LedgerClass, Time>> deviceLedgers() {
        return ledgers;
    }

    /** Returns the idle time of each device by phase, thread and class. */
    Map<String, Map<String, Long>> blame() {
        return blame;
    }

    /** Returns the ledgers of the window of each thread by track id. */
    Map<Integer, Map<LedgerClass, Time>> threadLedgers() {
        return threadLedgers;
    }
}

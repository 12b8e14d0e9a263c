package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.BinarySearch;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The threads that a device waits for beside those that launch its work: one that hands operators to a thread which does
 * nothing but launch, and those that compile where no launch is recorded.
 *
 * <pre>
 *   python   [aten::mm    ][aten::add   ]
 *   queue             [launch]      [launch]      the time before a launch is the operator's
 *   device                    mm            add
 * </pre>
 */
final class OtherThreads {
    /** Ascend's name for the time in which a thread takes an operator from another. */
    private static final String TAKEN = "Dequeue@";

    private final Timeline timeline;
    private final ActivityClassifier classifier;
    private final Map<Integer, Integer> dispatchers = new HashMap<>();
    private final List<Integer> compilations;

    /** The latest end of each compilation and those before it. */
    private final long[] endsNs;

    OtherThreads(Timeline timeline, ActivityClassifier classifier, DeviceActivity device) {
        this.timeline = timeline;
        this.classifier = classifier;
        boolean launches = device.launches().findAny().isPresent();
        this.compilations = launches ? List.of() : findCompilations();
        this.endsNs = new long[compilations.size()];
        for (int i = 0; i < endsNs.length; i++) {
            endsNs[i] = Math.max(i == 0 ? Long.MIN_VALUE : endsNs[i - 1], timeline.endNs(compilations.get(i)));
        }
    }

    /** Returns the thread whose operators a thread launches: the thread itself if it does anything else. */
    int dispatcherOf(int launching) {
        return dispatchers.computeIfAbsent(launching, this::findDispatcher);
    }

    private int findDispatcher(int launching) {
        if (!timeline.rows(launching).allMatch(row -> timeline.kind(row).isApiCall() || isTaken(row))) {
            return launching;
        }
        long launches = timeline.rows(launching).count();
        int dispatcher = launching;
        for (Track track : timeline.tracks()) {
            boolean other = track.kind() == TrackKind.THREAD && track.id() != launching;
            if (other && 2 * operators(track.id()) >= launches) {
                if (dispatcher != launching) {
                    return launching; // Which of several threads hands over an operator is not recorded.
                }
                dispatcher = track.id();
            }
        }
        return dispatcher;
    }

    private boolean isTaken(int row) {
        return timeline.kind(row) == RowKind.OPERATOR && timeline.name(row).startsWith(TAKEN);
    }

    private long operators(int thread) {
        return timeline.rows(thread, RowKind.OPERATOR)
                .filter(row -> !isTaken(row))
                .count();
    }

    /**
     * Returns when a thread waited for the device while a function of the host ran, within an interval; null if it did
     * not. Of calls that wait, the last one counts that began before the function's end.
     */
    @Nullable
    Stretch waitWithin(int thread, int function, long fromNs, long toNs) {
        long from = Math.max(fromNs, timeline.startNs(function));
        long to = Math.min(toNs, timeline.endNs(function));
        int first = timeline.firstRow(thread);
        int row = BinarySearch.first(first, timeline.endRow(thread), i -> timeline.startNs(i) >= to) - 1;
        while (from < to && row >= first && timeline.startNs(row) > from && !waits(row)) {
            row--;
        }
        while (row >= first && !waits(row)) {
            row = timeline.parent(row);
        }
        long startNs = row < first ? to : Math.max(from, timeline.startNs(row));
        long endNs = row < first ? to : Math.min(to, timeline.endNs(row));
        return startNs < endNs ? new Stretch(startNs, endNs) : null;
    }

    private boolean waits(int row) {
        return timeline.kind(row).isApiCall() && ApiCalls.isSynchronising(timeline.name(row));
    }

    /** Returns the outermost ranges of compiling and loading that overlap an interval, by start. */
    List<Integer> compilationsWithin(long fromNs, long toNs) {
        int first = BinarySearch.first(0, endsNs.length, i -> endsNs[i] > fromNs);
        int end = BinarySearch.first(first, endsNs.length, i -> timeline.startNs(compilations.get(i)) >= toNs);
        return compilations.subList(first, end).stream()
                .filter(row -> timeline.endNs(row) > fromNs)
                .toList();
    }

    private List<Integer> findCompilations() {
        return timeline.rows()
                .filter(row -> timeline.kind(row).isHostActivity() && compiles(row))
                .filter(row -> timeline.parent(row) < 0 || !compiles(timeline.parent(row)))
                .boxed()
                .sorted(Order.comparingLong(timeline::startNs))
                .toList();
    }

    private boolean compiles(int row) {
        return classifier.classify(row) == LedgerClass.FRAMEWORK_COMPILE_LOAD;
    }
}

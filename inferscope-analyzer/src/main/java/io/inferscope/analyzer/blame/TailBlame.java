package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A part of a device's tail, with the thread that it is blamed on: the thread that launched last, while its process
 * lives; after that, the last launching thread of the processes that still live; if none of these launched, the main
 * thread of an ancestor.
 *
 * <pre>
 *   parent    L......................            the tail is the child's up to its end,
 *   child     ..L......]                         from there on the parent's
 *   device    .K.K
 * </pre>
 *
 * @param thread track of the thread
 * @param startNs start of the stretch
 * @param endNs its end
 */
record TailBlame(int thread, long startNs, long endNs) {
    /** Divides {@code [fromNs, toNs)}; empty where no launch is recorded. */
    static List<TailBlame> of(Timeline timeline, DeviceActivity device, long fromNs, long toNs) {
        List<TailBlame> shares = new ArrayList<>();
        int last = lastLaunch(timeline, device, Long.MIN_VALUE);
        for (long atNs = fromNs;
                last >= 0 && atNs < toNs;
                atNs = shares.get(shares.size() - 1).endNs()) {
            int launch = lastLaunch(timeline, device, atNs);
            shares.add(
                    launch < 0
                            ? new TailBlame(ancestor(timeline, timeline.track(last), atNs), atNs, toNs)
                            : new TailBlame(
                                    timeline.track(launch),
                                    atNs,
                                    Math.min(toNs, endOf(timeline, process(timeline, timeline.track(launch))))));
        }
        return shares;
    }

    /**
     * Returns the last launch by a process that lives after a moment, of several at one time that of the last
     * operation; -1 without any.
     */
    private static int lastLaunch(Timeline timeline, DeviceActivity device, long afterNs) {
        int last = -1;
        int thread = -1; // Of the launch before, whose process lives until endNs.
        long endNs = 0;
        for (int i = 0; i < device.operationCount(); i++) {
            int launch = device.launch(i);
            boolean later = launch >= 0 && (last < 0 || timeline.startNs(launch) >= timeline.startNs(last));
            if (later && timeline.track(launch) != thread) {
                thread = timeline.track(launch);
                endNs = endOf(timeline, process(timeline, thread));
            }
            if (later && endNs > afterNs) {
                last = launch;
            }
        }
        return last;
    }

    private static int process(Timeline timeline, int thread) {
        return timeline.tracks().get(thread).parent();
    }

    /** Returns when a process ended, the end of time where that is not recorded. */
    private static long endOf(Timeline timeline, int process) {
        IntStream rows = process < 0 ? IntStream.empty() : timeline.rows(process, RowKind.PROCESS);
        return rows.mapToLong(timeline::endNs).max().orElse(Long.MAX_VALUE);
    }

    /**
     * Returns the main thread of the nearest ancestor that lives after a moment; the thread itself where none is
     * recorded.
     */
    private static int ancestor(Timeline timeline, int thread, long afterNs) {
        String pid = timeline.tracks().get(process(timeline, thread)).key();
        for (int generation = 0; generation < timeline.tracks().size(); generation++) {
            pid = ProcessFact.PARENT.of(timeline, pid);
            for (Track track : timeline.tracks()) {
                boolean main = track.kind() == TrackKind.THREAD && track.key().equals(pid) && track.parent() >= 0;
                if (main && endOf(timeline, track.parent()) > afterNs) {
                    return track.id();
                }
            }
        }
        return thread;
    }
}

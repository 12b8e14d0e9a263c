package io.inferscope.analyzer.activity;

import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A wait for child processes is a wait for the one that ends first. */
final class ChildProcesses implements WaitRoute {
    private static final IntervalTree NONE = new IntervalTree.Builder().build();

    private final Timeline timeline;
    private final Threads threads;
    private final boolean areRecorded;

    /** The rows of the processes that each process started, by the track of the parent. */
    private final Lazy<Map<Integer, IntervalTree>> children = new Lazy<>(this::findChildren);

    /** By the track of a process. */
    private final Map<Integer, int[]> threadsOfChildren = new HashMap<>();

    ChildProcesses(Timeline timeline, Threads threads) {
        this.timeline = timeline;
        this.threads = threads;
        this.areRecorded = !ProcessFact.PARENT.all(timeline).isEmpty();
    }

    boolean areRecorded() {
        return areRecorded;
    }

    /** Returns the threads of the processes that a thread's process started, and that those started. */
    int[] threadsBelow(int thread) {
        return threadsOfChildren.computeIfAbsent(threads.process(thread), this::findThreadsBelow);
    }

    private Map<Integer, IntervalTree> findChildren() {
        Map<String, Integer> processes = new HashMap<>();
        timeline.tracks(TrackKind.PROCESS).forEach(track -> processes.put(track.key(), track.id()));
        Map<Integer, IntervalTree.Builder> found = new HashMap<>();
        processes.forEach((pid, track) -> {
            Integer parent = processes.get(ProcessFact.PARENT.of(timeline, pid));
            int row = timeline.firstRow(track);
            if (parent != null && row < timeline.endRow(track) && timeline.kind(row) == RowKind.PROCESS) {
                found.computeIfAbsent(parent, p -> new IntervalTree.Builder())
                        .add(row, timeline.startNs(row), timeline.endNs(row));
            }
        });
        Map<Integer, IntervalTree> spans = new HashMap<>();
        found.forEach((parent, started) -> spans.put(parent, started.build()));
        return spans;
    }

    private int[] findThreadsBelow(int process) {
        Set<Integer> found = new HashSet<>();
        Deque<Integer> parents = new ArrayDeque<>(List.of(process));
        while (!parents.isEmpty()) {
            children.get().getOrDefault(parents.remove(), NONE).meeting(Long.MIN_VALUE, Long.MAX_VALUE, row -> {
                if (found.add(timeline.track(row))) {
                    parents.add(timeline.track(row));
                }
            });
        }
        return found.stream()
                .flatMapToInt(child -> Arrays.stream(threads.of(child)))
                .sorted()
                .toArray();
    }

    @Override
    public boolean follow(ThreadPiece waiting, WaitFollower.Walk walk, ThreadActivity.Sink to) {
        int process = threads.process(waiting.thread());
        int child = endingFirst(children.get().getOrDefault(process, NONE), waiting);
        int thread = child < 0 ? -1 : threads.main(timeline.track(child));
        if (thread < 0) {
            return false;
        }
        WaitFollower.Walk.Shares shares = walk.shares(waiting, to);
        shares.own(timeline.startNs(child));
        shares.of(thread, timeline.endNs(child));
        shares.own(waiting.toNs());
        return true;
    }

    private int endingFirst(IntervalTree started, ThreadPiece waiting) {
        int[] child = {-1};
        started.meeting(waiting.fromNs(), waiting.toNs(), row -> {
            boolean earlier = child[0] < 0
                    || timeline.endNs(row) < timeline.endNs(child[0])
                    || (timeline.endNs(row) == timeline.endNs(child[0]) && row < child[0]);
            child[0] = earlier ? row : child[0];
        });
        return child[0];
    }
}

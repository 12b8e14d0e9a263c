package io.inferscope.analyzer.activity;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A wait for a future or a condition, in a process of which a helper thread waits for child processes, is a wait for
 * these: the helper passes on their results.
 */
final class ProcessHelpers implements WaitRoute {
    private final Timeline timeline;
    private final Threads threads;
    private final ActivityClassifier classifier;
    private final ChildProcesses children;

    /** By the track of a process: whether one of its threads waits for other processes all the time. */
    private final Map<Integer, Boolean> helpers = new HashMap<>();

    ProcessHelpers(Timeline timeline, Threads threads, ActivityClassifier classifier, ChildProcesses children) {
        this.timeline = timeline;
        this.threads = threads;
        this.classifier = classifier;
        this.children = children;
    }

    @Override
    public boolean follow(ThreadPiece waiting, WaitFollower.Walk walk, ThreadActivity.Sink to) {
        return children.areRecorded()
                && waiting.sample() >= 0
                && classifier.sawWaiting(waiting.sample())
                && children.threadsBelow(waiting.thread()).length > 0
                && helpers.computeIfAbsent(threads.process(waiting.thread()), this::hasHelper)
                && walk.toWork(waiting, children.threadsBelow(waiting.thread()), to);
    }

    /** Returns whether a thread of a process, by most of its samples, waits for other processes. */
    private boolean hasHelper(int process) {
        return threads.all().stream().filter(track -> track.parent() == process).anyMatch(track -> {
            int[] samples = timeline.rows(track.id(), RowKind.STACK_SAMPLE).toArray();
            long waitsNs = timeline.sumNs(Arrays.stream(samples).filter(classifier::waitsForProcess));
            return 2 * waitsNs > timeline.sumNs(Arrays.stream(samples));
        });
    }
}

package io.inferscope.analyzer.activity;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A pool's thread that waits for an item waits for the threads that make items, or whose results they wait for: for the
 * main thread and the pool's other threads, as far as these work.
 */
final class PoolFeeders implements WaitRoute {
    private final Threads threads;
    private final ActivityClassifier classifier;
    private final AlternatingThreads alternation;

    /** By track of a pool's thread. */
    private final Map<Integer, int[]> feeders = new HashMap<>();

    PoolFeeders(Threads threads, ActivityClassifier classifier, AlternatingThreads alternation) {
        this.threads = threads;
        this.classifier = classifier;
        this.alternation = alternation;
    }

    @Override
    public boolean follow(ThreadPiece waiting, WaitFollower.Walk walk, ThreadActivity.Sink to) {
        return waiting.sample() >= 0
                && classifier.sawTakingWork(waiting.sample())
                && walk.toWork(waiting, feeders.computeIfAbsent(waiting.thread(), this::feeders), to);
    }

    private int[] feeders(int thread) {
        int main = threads.main(threads.process(thread));
        return Arrays.stream(threads.of(threads.process(thread)))
                .filter(other -> other != thread && (other == main || alternation.areAlike(thread, new int[] {other})))
                .toArray();
    }
}

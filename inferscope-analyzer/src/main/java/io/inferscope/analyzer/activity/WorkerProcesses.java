package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.LedgerClass;

/**
 * A wait inside {@code multiprocessing} is a wait for what the child processes do around it. So is the sleep of a
 * library, such as joblib, that looks again and again whether its processes are done. In code of the program's own, the
 * sleeping is what can be changed.
 */
record WorkerProcesses(ActivityClassifier classifier, ChildProcesses children) implements WaitRoute {
    @Override
    public boolean follow(ThreadPiece waiting, WaitFollower.Walk walk, ThreadActivity.Sink to) {
        return children.areRecorded()
                && waiting.sample() >= 0
                && (classifier.waitsForProcess(waiting.sample()) || asksProcesses(waiting))
                && walk.toWork(waiting, children.threadsBelow(waiting.thread()), to);
    }

    private boolean asksProcesses(ThreadPiece waiting) {
        return waiting.ledgerClass() == LedgerClass.WAIT_TIMER && classifier.sleepsInLibrary(waiting.sample());
    }
}

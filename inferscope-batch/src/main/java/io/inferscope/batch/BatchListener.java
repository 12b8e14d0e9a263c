package io.inferscope.batch;

/** Receives the progress of a batch. It is called by several threads, but never by two at once. */
public interface BatchListener {
    void started(Pair pair);

    /** Called when a pair is done; {@code done} of {@code total} pairs are done now. */
    void finished(PairResult result, int done, int total);

    void downloading(ModelRef model);
}

package io.inferscope.batch;

/** Hears how far a batch has come; called from several threads, one at a time. */
public interface BatchListener {
    /** A tracer was started. */
    void started(Pair pair);

    /** A pair is done, as number {@code done} of {@code total}. */
    void finished(PairResult result, int done, int total);

    /** A model is being downloaded. */
    void downloading(ModelRef model);
}

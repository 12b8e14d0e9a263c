package io.inferscope.batch;

/**
 * How to go through a batch.
 *
 * @param jobs how many tracers run at once
 * @param downloads how many models are downloaded at once
 * @param force whether results that could be reused are made again
 * @param retries how often a pair that failed is tried again before the batch goes on; one that is unsupported is not
 * @param continueOnFailure whether the batch goes on after a failure
 */
public record BatchOptions(int jobs, int downloads, boolean force, int retries, boolean continueOnFailure) {}

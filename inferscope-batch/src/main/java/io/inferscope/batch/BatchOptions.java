package io.inferscope.batch;

/**
 * Options of a batch.
 *
 * @param jobs how many tracers run at once
 * @param downloads how many models are downloaded at once
 * @param force whether results that could be reused are made again
 * @param retries how often a failed pair is run again before the batch goes on; an unsupported pair is not
 * @param continueOnFailure whether the batch goes on after a failure
 */
public record BatchOptions(int jobs, int downloads, boolean force, int retries, boolean continueOnFailure) {}

package io.inferscope.collectors.python;

/** What the Python sampler counts about itself. Used by the sampling thread alone. */
final class PythonCounts {
    /** Threads looked at, those included whose stack could not have changed. */
    long samples;

    /** Reads that did not fit together; each was tried once more. */
    long tornReads;

    /** Samples that are not stored: torn twice. */
    long lost;

    /** Samples that were taken to be in the kernel by its clock of system time. */
    long inKernel;

    long processes;
}

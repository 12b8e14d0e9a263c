package io.inferscope.collectors.python;

/** What the Python sampler counts about itself. Used by the sampling thread alone. */
final class PythonCounts {
    /** Threads examined, including those whose stack cannot have changed. */
    long samples;

    /** Reads that did not fit together; each was tried once more. */
    long tornReads;

    /** Samples that are not stored: torn twice. */
    long lost;

    /** Samples that were put into the kernel by its clock of system time. */
    long inKernel;

    long processes;
}

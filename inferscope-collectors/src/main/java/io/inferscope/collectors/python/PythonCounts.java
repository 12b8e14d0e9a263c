package io.inferscope.collectors.python;

/** What the Python sampler counts about itself. Used by the sampling thread alone. */
final class PythonCounts {
    /** Threads examined, including those whose stack cannot have changed. */
    long samples;

    /** Reads that did not fit together and were repeated. */
    long tornReads;

    /** Samples that are not stored: no read of them fitted together. */
    long lost;

    /** Samples that were put into the kernel by its clock of system time. */
    long inKernel;

    long processes;
}

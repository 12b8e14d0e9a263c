package io.inferscope.collectors.doctor;

/**
 * Two system calls that a container's seccomp profile may refuse. No file shows this, so the doctor tries them on its
 * own process.
 */
public interface SystemCallProbes {
    /**
     * Reads memory of the doctor's process by {@code process_vm_readv(2)} or, if that is missing, through its file;
     * returns 0 or {@code -errno}.
     */
    int readMemory();

    /** Opens a software event of the calling thread by {@code perf_event_open(2)}; returns 0 or {@code -errno}. */
    int openPerfEvent();
}

package io.inferscope.collectors.doctor;

/** Two system calls that a container's seccomp profile may refuse: no file shows that, so they are tried on the doctor itself. */
public interface SystemCallProbes {
    /** Reads memory of this very process by {@code process_vm_readv(2)} or, where that is missing, its file; returns 0 or {@code -errno}. */
    int readMemory();

    /** Opens a software event of this very thread by {@code perf_event_open(2)}; returns 0 or {@code -errno}. */
    int openPerfEvent();
}

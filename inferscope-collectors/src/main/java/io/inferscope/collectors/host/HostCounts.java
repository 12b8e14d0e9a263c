package io.inferscope.collectors.host;

/** What the host collector counts about itself. Used by its thread alone. */
final class HostCounts {
    long samples;
    long states;
    long threads;
    long processes;
    long sampledCpuNs;
    long unplacedNs;
    long stolenNs;
    long unseenChildrenNs;
    long hiddenThreads;
    long hiddenWaits;
}

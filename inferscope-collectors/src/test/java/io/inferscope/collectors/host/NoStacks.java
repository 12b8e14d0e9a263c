package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.scope.spool.SpoolWriter;

/** Takes no stacks. */
final class NoStacks implements StackCollector {
    static final NoStacks NONE = new NoStacks();

    /** Starts sampling a command that was just started, without stacks. */
    static HostSampler sampler(OperatingSystem system, SpoolWriter writer, int rootPid, long startNs, String mark) {
        return new HostSampler(system, writer, RootProcess.started(rootPid, startNs, mark), HostOptions.DEFAULT, NONE);
    }

    @Override
    public void sample(int pid, ObservedThreads threads, NativeSamples natives) {}

    @Override
    public void programChanged(int pid) {}

    @Override
    public void ended(int pid) {}

    @Override
    public boolean isUnread(int pid) {
        return false;
    }

    @Override
    public void finish() {}

    @Override
    public boolean isGil(int pid, long futexAddress) {
        return false;
    }

    @Override
    public int gilHolder(int pid) {
        return 0;
    }
}

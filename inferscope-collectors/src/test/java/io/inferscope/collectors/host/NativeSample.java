package io.inferscope.collectors.host;

/** Makes native samples for tests of other packages. */
public final class NativeSample {
    private NativeSample() {}

    /** Returns samples that are one: its chain is in the form of {@link io.inferscope.collectors.os.PerfRing}. */
    public static NativeSamples of(int pid, long... chain) {
        NativeSamples samples = new NativeSamples();
        samples.add(pid, pid, System.nanoTime(), chain, chain.length);
        return samples;
    }
}

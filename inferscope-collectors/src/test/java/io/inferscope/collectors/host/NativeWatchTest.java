package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.os.LinuxKernel;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.collectors.os.PerfRing;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.collectors.procfs.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Which threads the kernel records, where it has events for some only. */
@EnabledOnOs(OS.LINUX)
class NativeWatchTest {
    private final LinuxKernel kernel = new LinuxKernel();
    private volatile long work;

    @Test
    void aThreadBeyondTheMostEventsIsNotRecorded() throws Exception {
        int cpus = Topology.cpus(new ProcFiles(kernel)
                        .text("/sys/devices/system/cpu/online")
                        .trim())
                .cardinality();
        NativeWatch watch = new NativeWatch(kernel, record -> {}, 100, new PerfRings(kernel, cpus));
        List<Integer> threads = threads();
        int first = threads.get(0);
        int second = threads.get(1);

        watch.record(PerfRings.EVERYONE, first);
        watch.record(PerfRings.EVERYONE, second);
        NativeSamples samples = watch.take();
        samples.takeNow();
        watch.finish();

        assumeTrue(samples.isRecorded(first), "perf events are permitted");
        assertThat(samples.isRecorded(second)).isFalse();
    }

    @Test
    void aThreadThatWasSeenIsRecorded() {
        NativeSamples samples = new NativeSamples();
        samples.recordAll(false);
        samples.begin(() -> {});
        assertThat(samples.isRecorded(7)).isFalse();

        samples.add(1, 7, 0, new long[] {1}, 1);

        samples.begin(() -> {});
        assertThat(samples.isRecorded(7)).isTrue();
        samples.begin(null);
        assertThat(samples.isRecorded(7)).isFalse();
    }

    @Test
    void ofSeveralSamplesOfAThreadTheOldestAndTheNewestArePassed() throws IOException {
        int cpus = Topology.cpus(new ProcFiles(kernel)
                        .text("/sys/devices/system/cpu/online")
                        .trim())
                .cardinality();
        PerfRings rings = new PerfRings(kernel, cpus);
        Path self = Files.readSymbolicLink(Path.of("/proc/thread-self"));
        String why = rings.open(
                PerfRings.EVERYONE,
                Integer.parseInt(self.getFileName().toString()),
                (tid, cpu) -> PerfEvents.openSamples(tid, cpu, 1_000_000, true));
        assumeTrue(why == null, "perf events are permitted");
        try {
            compute();
            long halfNs = kernel.monotonicNs();
            compute();
            long readNs = kernel.monotonicNs();
            List<Long> ends = timesNs(rings, true);
            compute();
            List<Long> all = timesNs(rings, false);

            assertThat(ends)
                    .hasSizeBetween(2, 2 * cpus)
                    .anyMatch(timeNs -> timeNs < halfNs)
                    .anyMatch(timeNs -> timeNs > halfNs);
            assertThat(all).hasSizeGreaterThan(2 * cpus).allMatch(timeNs -> timeNs > readNs);
        } finally {
            rings.close();
        }
    }

    /** Computes for 100 ms of CPU time. */
    private void compute() {
        for (long untilNs = kernel.threadCpuNs() + 100_000_000; kernel.threadCpuNs() < untilNs; ) {
            for (int i = 0; i < 1_000_000; i++) {
                work = 31 * work + i;
            }
        }
    }

    private static List<Long> timesNs(PerfRings rings, boolean newestOnly) {
        List<Long> found = new ArrayList<>();
        rings.drain(
                new PerfRing.Sink() {
                    @Override
                    public void sampled(int pid, int tid, long timeNs, long[] chain, int length) {
                        found.add(timeNs);
                    }

                    @Override
                    public void lost(long records) {}
                },
                newestOnly);
        return found;
    }

    private static List<Integer> threads() throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            return tasks.map(task -> Integer.parseInt(task.getFileName().toString()))
                    .toList();
        }
    }
}

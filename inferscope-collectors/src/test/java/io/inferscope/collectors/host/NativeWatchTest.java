package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.os.LinuxKernel;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.collectors.procfs.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Which threads the kernel records, where it has events for some only. */
@EnabledOnOs(OS.LINUX)
class NativeWatchTest {
    private final LinuxKernel kernel = new LinuxKernel();

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
        watch.finish();

        assumeTrue(samples.isRecorded(first), "perf events are permitted");
        assertThat(samples.isRecorded(second)).isFalse();
    }

    @Test
    void aThreadThatWasSeenIsRecorded() {
        NativeSamples samples = new NativeSamples();
        samples.recordAll(false);
        samples.clear(true);
        assertThat(samples.isRecorded(7)).isFalse();

        samples.add(1, 7, 0, new long[] {1}, 1);

        samples.clear(true);
        assertThat(samples.isRecorded(7)).isTrue();
        samples.clear(false);
        assertThat(samples.isRecorded(7)).isFalse();
    }

    private static List<Integer> threads() throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            return tasks.map(task -> Integer.parseInt(task.getFileName().toString()))
                    .toList();
        }
    }
}

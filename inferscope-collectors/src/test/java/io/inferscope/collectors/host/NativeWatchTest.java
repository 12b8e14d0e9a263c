package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.collectors.procfs.Topology;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.timeline.fixture.Until;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Native samples, of threads that are asked for and of programs. */
@EnabledOnOs(OS.LINUX)
class NativeWatchTest {
    private final LinuxSystem system = new LinuxSystem();

    @Test
    void aThreadBeyondTheMostEventsIsNotRecorded() throws Exception {
        PerfRings rings = new PerfRings(system, cpus());
        List<Integer> threads = threads();
        try {
            String first = rings.open(PerfRings.EVERYONE, threads.get(0), NativeWatchTest::openSamples);
            assumeTrue(first == null, "perf events are permitted");
            assertThat(rings.open(PerfRings.EVERYONE, threads.get(1), NativeWatchTest::openSamples))
                    .startsWith("too many threads");
        } finally {
            rings.close();
        }
    }

    private static int openSamples(int tid, int cpu) {
        return PerfEvents.openSamples(tid, cpu, 1_000_000, true);
    }

    @Test
    void aThreadThatRunsIsSampledWhenItIsAskedFor() throws Exception {
        List<SpoolRecord> written = new ArrayList<>();
        NativeWatch watch = new NativeWatch(system, written::add, 100, new PerfRings(system, cpus()), true);
        AtomicInteger running = new AtomicInteger();
        Thread busy = new Thread(() -> {
            running.set(ownTid());
            while (running.get() != 0) {
                Thread.onSpinWait();
            }
        });
        busy.start();
        try {
            Until.holds(() -> running.get() != 0);
            NativeSamples samples = watch.take();
            samples.ask(running.get());
            samples.collect();
            assumeTrue(watch.isKernelRecorded(running.get()), "perf events are permitted");
            Until.holds(() -> {
                long fromNs = system.monotonicNs();
                watch.take();
                samples.ask(running.get());
                samples.collect();
                long toNs = system.monotonicNs();
                for (int i = 0; i < samples.count(); i++) {
                    assertThat(samples.tid(i)).isEqualTo(running.get());
                    assertThat(samples.timeNs(i)).isBetween(fromNs, toNs);
                }
                return samples.count() > 0; // Beside other load, the thread may just have no CPU.
            });

            watch.take();
            samples.collect();
            assertThat(samples.count()).as("not asked for").isZero();
            watch.forget(running.get());
            assertThat(watch.isKernelRecorded(running.get())).isFalse();
        } finally {
            running.set(0);
            busy.join();
            watch.finish();
        }
        assertThat(written).singleElement().isInstanceOfSatisfying(SpoolRecord.Coverage.class, coverage -> {
            assertThat(coverage.recorded()).isPositive();
            assertThat(coverage.missing()).isZero();
        });
    }

    @Test
    void aThreadThatSleepsIsNotSampled() throws Exception {
        NativeWatch watch = new NativeWatch(system, record -> {}, 100, new PerfRings(system, cpus()), true);
        AtomicInteger tid = new AtomicInteger();
        Thread sleeping = new Thread(() -> {
            tid.set(ownTid());
            LockSupport.park();
        });
        sleeping.start();
        try {
            Until.holds(() -> sleeping.getState() == Thread.State.WAITING);
            NativeSamples samples = watch.take();
            samples.ask(tid.get());
            samples.collect();
            assertThat(samples.count()).isZero();
        } finally {
            LockSupport.unpark(sleeping);
            sleeping.join();
            watch.finish();
        }
    }

    @Test
    void aThreadThatCannotBeAskedIsNoFailure() {
        List<SpoolRecord> written = new ArrayList<>();
        NativeWatch watch = new NativeWatch(system, written::add, 100, new PerfRings(system, cpus()), true);
        NativeSamples samples = watch.take();
        samples.ask(Integer.MAX_VALUE);
        samples.collect();
        assertThat(samples.count()).isZero();
        assertThat(samples.isKernelRecorded(Integer.MAX_VALUE)).isFalse();
        watch.finish();
        assertThat(written).hasSize(1);
    }

    private int cpus() {
        return Topology.cpus(new ProcFiles(system)
                        .text("/sys/devices/system/cpu/online")
                        .trim())
                .cardinality();
    }

    private static int ownTid() {
        try {
            return Integer.parseInt(Files.readSymbolicLink(Path.of("/proc/thread-self"))
                    .getFileName()
                    .toString());
        } catch (IOException noProc) {
            throw new UncheckedIOException(noProc);
        }
    }

    private static List<Integer> threads() throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            return tasks.map(task -> Integer.parseInt(task.getFileName().toString()))
                    .toList();
        }
    }
}

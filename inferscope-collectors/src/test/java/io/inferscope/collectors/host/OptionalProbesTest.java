package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is looked at once a second and has a form that nobody expected. */
@Tag("process")
class OptionalProbesTest {
    @TempDir
    Path folder;

    private CountDownLatch misread = new CountDownLatch(1);

    @Test
    void aLookThatFailedIsNotTakenAgainAndTheOthersAre() {
        OptionalProbes looks = new OptionalProbes();
        int[] taken = new int[2];
        for (int i = 0; i < 3; i++) {
            looks.take("memory", () -> Integer.parseInt("x" + taken[0]++));
            looks.take("devices", () -> taken[1]++);
        }
        assertThat(taken).containsExactly(1, 3);
        assertThat(looks.failures())
                .startsWith("reading memory failed and was given up: ")
                .contains("\"x0\"")
                .doesNotContain("devices");
    }

    /** The kernel is the real one; only what it says of a process' memory is not. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void memoryThatCannotBeReadDoesNotEndTheSampling() throws Exception {
        QuietMachine.judge(folder, attempt -> {
            Coverage host = sampled(attempt, "/proc/\\d+/status", "Name:\tcat\nVmRSS:\ta lot\n");
            assertThat(host.why())
                    .containsOnlyOnce("reading memory and control group failed and was given up: ")
                    .contains("a lot")
                    .doesNotContain("stopped early");
        });
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aMachineThatCannotBeReadDoesNotKeepTheSamplingFromStarting() throws Exception {
        QuietMachine.judge(folder, attempt -> {
            assumeTrue(Files.exists(Path.of("/sys/devices/system/node/node0/meminfo")), "this kernel shows no nodes");
            Coverage host = sampled(attempt, "/sys/devices/system/node/node\\d+/meminfo", "Node 0 MemTotal: plenty\n");
            assertThat(host.why())
                    .containsOnlyOnce("reading NUMA nodes failed and was given up: ")
                    .contains("plenty")
                    .doesNotContain("stopped early");
        });
    }

    /** Samples a program on a kernel of which one kind of file says something else, and returns the recorder's own word. */
    private Coverage sampled(Path folder, String misreadPath, String content) throws Exception {
        misread = new CountDownLatch(1);
        Path unexpected = Files.writeString(folder.resolve("unexpected.txt"), content);
        Process program = new ProcessBuilder("cat").start();
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 26)) {
            int pid = (int) program.pid();
            HostSampler sampler = NoStacks.sampler(saying(misreadPath, unexpected), writer, pid, System.nanoTime(), "");
            assertThat(misread.await(60, TimeUnit.SECONDS)).isTrue();
            Thread.sleep(200); // Whoever survived samples on.
            long endNs = System.nanoTime();
            sampler.stop(endNs, 0);
            sampler.writeCoverage(0);
        } finally {
            program.destroyForcibly();
        }
        Timeline timeline = CoreFormats.load(folder);
        Coverage host = timeline.info().coverage().stream()
                .filter(coverage -> coverage.source().equals("host"))
                .findFirst()
                .orElseThrow();
        assertThat(IntStream.range(0, timeline.rowCount())
                        .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE)
                        .filter(row -> timeline.attribute(row, Attribute.WAIT_REASON) > 0))
                .isNotEmpty();
        return host;
    }

    private OperatingSystem saying(String path, Path instead) {
        OperatingSystem real = new LinuxSystem();
        return (OperatingSystem) Proxy.newProxyInstance(
                OperatingSystem.class.getClassLoader(),
                new Class<?>[] {OperatingSystem.class},
                (proxy, method, arguments) -> {
                    boolean asks = method.getName().equals("open")
                            && String.valueOf(arguments[0]).matches(path);
                    if (asks) {
                        misread.countDown();
                    }
                    try {
                        return method.invoke(real, asks ? new Object[] {instead.toString()} : arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}

package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.collectors.os.PerfEvents;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Switches as the kernel records them, against a program that notes its own sleeps. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class PerfWatchTest {
    /** Forks, so that what is seen was inherited; the child computes and sleeps by turns, far quicker than the sampler looks. */
    private static final String PROGRAM = """
            import os, sys, threading, time
            sys.stdin.readline()
            if os.fork() == 0:
                print('tid', threading.get_native_id(), 0)
                for _ in range(60):
                    until = time.thread_time_ns() + 1_500_000
                    while time.thread_time_ns() < until: pass
                    start = time.monotonic_ns()
                    time.sleep(0.003)
                    print('slept', start, time.monotonic_ns())
                print('ready', 0, 0, flush=True)
            sys.stdin.read()
            """;

    @TempDir
    Path folder;

    @Test
    void stretchesBetweenTwoSamplesAreCutWhereTheThreadWasSwitched() throws Exception {
        QuietMachine.judge(attempt -> checkStretches(folder.resolve("attempt" + attempt)));
    }

    private void checkStretches(Path spool) throws Exception {
        List<String[]> lines = new ArrayList<>();
        sample(spool, new HostOptions(0.03, HostOptions.DEFAULT_RATE_HZ, true, true, 0, 0), lines);
        Timeline timeline = CoreFormats.load(spool);
        Coverage perf = coverage(timeline, "perf");
        assumeTrue(perf.recorded() > 0, perf.why());
        assertThat(perf.missing()).isZero();
        String tid = lines.get(0)[1];
        long sleptNs = 0;
        long onCpuNs = 0;
        int pieces = 0;
        List<Integer> states = states(timeline, tid);
        for (String[] line : lines) {
            if (line[0].equals("slept")) {
                long from = Long.parseLong(line[1]);
                long to = Long.parseLong(line[2]);
                sleptNs += to - from;
                onCpuNs += onCpuNs(timeline, states, from, to);
            }
        }
        for (int row : states) {
            boolean pure = timeline.attribute(row, Attribute.ON_CPU_NS) == 0;
            pieces += pure && timeline.durationNs(row) < 8_000_000 ? 1 : 0;
        }
        assertThat(pieces)
                .as("stretches that are a sleep and nothing else, of 60")
                .isGreaterThan(30);
        assertThat((double) onCpuNs / sleptNs)
                .as("share of the sleeps taken for computing")
                .isLessThan(0.1);
    }

    @Test
    void totalsOfTheWholeTreeAreCounters() throws Exception {
        sample(folder, new HostOptions(0.03, HostOptions.DEFAULT_RATE_HZ, true, true, 0, 0), new ArrayList<>());
        Timeline timeline = CoreFormats.load(folder);
        Coverage perf = coverage(timeline, "perf");
        assumeTrue(!perf.why().contains("page faults"), perf.why());
        double last = -1;
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.COUNTER && timeline.name(row).equals("perf.page_faults")) {
                double value = Double.longBitsToDouble(timeline.attribute(row, Attribute.COUNTER_VALUE));
                assertThat(value).isGreaterThanOrEqualTo(last);
                last = value;
            }
        }
        assertThat(last).as("faults of a Python process' start and fork").isGreaterThan(100);
    }

    @Test
    void withoutTheOptionNothingIsOpenedAndNothingSaid() throws Exception {
        sample(folder, HostOptions.DEFAULT, new ArrayList<>());
        assertThat(CoreFormats.load(folder).info().coverage())
                .extracting(Coverage::source)
                .doesNotContain("perf");
    }

    @Test
    void ordinaryUserIsToldWhatIsNotPermitted() throws Exception {
        QuietMachine.judge(folder, attempt -> {
            assumeTrue(OtherUser.isPossible(), "needs root and setpriv");
            Path spools = OtherUser.folder(attempt);
            Process target = OtherUser.run("sh", "-c", "echo; while :; do sleep 0.01; done")
                    .start();
            try {
                target.getInputStream().read();
                Process sampler = OtherUser.java(
                                spools, SamplerProgram.class, spools.toString(), "" + target.pid(), "700")
                        .start();
                String output = new String(sampler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(sampler.waitFor()).as(output).isZero();
            } finally {
                target.descendants().forEach(ProcessHandle::destroyForcibly);
                target.destroyForcibly();
            }
            Coverage perf = coverage(CoreFormats.load(spools), "perf");
            int paranoid = Integer.parseInt(Files.readString(Path.of("/proc/sys/kernel/perf_event_paranoid"))
                    .trim());
            assertThat(perf.why()).contains("kernel.perf_event_paranoid is " + paranoid);
            if (paranoid <= 2 && !perf.why().contains("context switches: not permitted")) {
                assertThat(perf.recorded())
                        .as("switches of an own process need no privilege")
                        .isPositive();
            }
        });
    }

    @Test
    void hardwareCountersThatTakeTurnsAreScaled() {
        assertThat(new PerfEvents.Reading(100, 1000, 250).scaled()).isEqualTo(400);
        assertThat(new PerfEvents.Reading(0, 1000, 0).scaled()).isZero();
    }

    private static void sample(Path folder, HostOptions options, List<String[]> lines) throws Exception {
        Process program = new ProcessBuilder("python3", "-c", PROGRAM)
                .redirectErrorStream(true)
                .start();
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 26)) {
            HostSampler sampler = new HostSampler(
                    new LinuxSystem(),
                    writer,
                    RootProcess.started((int) program.pid(), System.nanoTime(), ""),
                    options,
                    NoStacks.NONE);
            program.getOutputStream().write('\n');
            program.getOutputStream().flush();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
            String line = output.readLine();
            while (line != null && !line.startsWith("ready")) {
                lines.add(line.split(" ", -1));
                line = output.readLine();
            }
            sampler.stop(System.nanoTime(), 0);
        } finally {
            program.descendants().forEach(ProcessHandle::destroyForcibly);
            program.destroyForcibly();
        }
    }

    private static Coverage coverage(Timeline timeline, String source) {
        return timeline.info().coverage().stream()
                .filter(entry -> entry.source().equals(source))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the CPU time recorded inside {@code [from, to)}, of each stretch in proportion to what of it lies inside. */
    private static long onCpuNs(Timeline timeline, List<Integer> states, long from, long to) {
        double sum = 0;
        for (int row : states) {
            long start = timeline.startNs(row);
            long end = timeline.endNs(row);
            long inside = Math.min(end, to) - Math.max(start, from);
            if (inside > 0) {
                sum += timeline.attribute(row, Attribute.ON_CPU_NS) * ((double) inside / (end - start));
            }
        }
        return Math.round(sum);
    }

    private static List<Integer> states(Timeline timeline, String tid) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE)
                .filter(row -> timeline.tracks().get(timeline.track(row)).kind() == TrackKind.THREAD
                        && timeline.tracks().get(timeline.track(row)).key().equals(tid))
                .boxed()
                .toList();
    }
}

package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The sampler against real programs; what it stored is compared with the kernel's own counters, never with wall time. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class HostSamplerTest {
    private static final String THREADS = """
            import hashlib, os, select, sys, threading, time, subprocess
            def loop(): # Like gevent's, which sleeps until its next timer, unless another thread wakes it up.
                poll = select.poll()
                poll.register(os.pipe()[0], select.POLLIN)
                while True: poll.poll(100)
            def busy():
                while time.thread_time() < 0.3: hashlib.sha256(b'x' * 200000).hexdigest()
                threading.Event().wait()
            read_end, write_end = os.pipe()
            lock = threading.Lock(); lock.acquire()
            jobs = {'busy1': busy, 'busy2': busy, 'sleeper': lambda: time.sleep(1000),
                    'reader': lambda: os.read(read_end, 1), 'locked': lock.acquire, 'loop': loop,
                    'waiter': lambda: subprocess.run(['sleep', '1000'])}
            def start(name, job):
                def body():
                    os.write(1, f'{name} {threading.get_native_id()}\\n'.encode())
                    job()
                threading.Thread(target=body, daemon=True).start()
            for name, job in jobs.items(): start(name, job)
            while time.process_time() < 0.6: time.sleep(0.01)
            time.sleep(0.2)
            print('ready 0', flush=True)
            sys.stdin.read()
            """;

    private static final String TREE = """
            import os, subprocess, sys
            cat = subprocess.Popen(['cat'], stdin=subprocess.PIPE)
            shell = subprocess.Popen(['sh', '-c', 'cat; true'], stdin=subprocess.PIPE)
            child = os.fork()
            if child == 0:
                os.read(0, 1)
                os._exit(0)
            print('cat', cat.pid, flush=True); print('sh', shell.pid, flush=True); print('fork', child, flush=True)
            print('ready 0', flush=True)
            sys.stdin.read()
            cat.stdin.close(); shell.stdin.close(); cat.wait(); shell.wait(); os.waitpid(child, 0)
            """;

    @TempDir
    Path folder;

    private final Map<String, Integer> ids = new HashMap<>();
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endWhatWasStarted() {
        for (Process process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Test
    void everyThreadsSumsAreTheKernelsOwnCounters() throws Exception {
        QuietMachine.judge(folder, attempt -> {
            ids.clear();
            Process program = python(THREADS);
            int pid = (int) program.pid();
            HostSampler sampler;
            try (SpoolWriter writer = SpoolWriter.open(attempt, "host", 0, 1 << 26)) {
                sampler = NoStacks.sampler(new LinuxSystem(), writer, pid, System.nanoTime(), "");
                awaitReady(program);
                new ProcessBuilder("kill", "-STOP", Integer.toString(pid))
                        .start()
                        .waitFor(); // Counters stand still now.
                awaitStopped(pid);
                sampler.stop(System.nanoTime(), 0);
            }
            Timeline timeline = CoreFormats.load(attempt);
            assertThat(sampler.unplacedNs()).isZero();
            int compared = 0;
            for (String tid : java.util.Objects.requireNonNull(
                    Path.of("/proc", "" + pid, "task").toFile().list())) {
                String[] counters = Files.readString(Path.of("/proc/" + pid + "/task/" + tid + "/schedstat"))
                        .split(" ", -1);
                assertThat(sum(timeline, tid, Attribute.ON_CPU_NS))
                        .as("on CPU, thread %s", tid)
                        .isEqualTo(Long.parseLong(counters[0]));
                assertThat(sum(timeline, tid, Attribute.RUNNABLE_NS))
                        .as("runnable, thread %s", tid)
                        .isEqualTo(Long.parseLong(counters[1]));
                compared++;
            }
            assertThat(compared).isEqualTo(8);
            assertThat(mainReason(timeline, "sleeper")).isEqualTo(WaitReason.TIMER);
            assertThat(mainReason(timeline, "loop")).isEqualTo(WaitReason.TIMER);
            assertThat(mainReason(timeline, "reader")).isEqualTo(WaitReason.PIPE);
            assertThat(mainReason(timeline, "locked")).isEqualTo(WaitReason.FUTEX);
            assertThat(mainReason(timeline, "waiter")).isEqualTo(WaitReason.CHILD_PROCESS);
            assertIntervalsAreConsistent(timeline);
        });
    }

    @Test
    void processTreeIsFollowedThroughForkAndExec() throws Exception {
        Process program = python(TREE);
        int pid = (int) program.pid();
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 26)) {
            HostSampler sampler = NoStacks.sampler(new LinuxSystem(), writer, pid, System.nanoTime(), "");
            awaitReady(program);
            while (!programs(sampler).containsAll(List.of("cat", "cat of the shell", "fork"))) {
                Thread.sleep(10);
            }
            program.getOutputStream().close();
            program.waitFor();
            sampler.stop(System.nanoTime(), 3);
        }
        Timeline timeline = CoreFormats.load(folder);
        Map<String, String> programs = new HashMap<>();
        IntStream.range(0, timeline.rowCount())
                .filter(r -> timeline.kind(r) == RowKind.PROCESS)
                .forEach(row ->
                        programs.put(timeline.tracks().get(timeline.track(row)).key(), timeline.name(row)));
        assertThat(programs).containsEntry("" + ids.get("cat"), "cat");
        assertThat(programs.get("" + ids.get("fork"))).startsWith("python");
        for (String name : List.of("cat", "sh", "fork")) {
            assertThat(timeline.properties()).containsEntry("process." + ids.get(name) + ".parent", "" + pid);
        }
    }

    @Test
    void orphanIsKnownByTheEnvironmentItInherited() throws Exception {
        String script = """
                import os, sys
                line = sys.stdin.readline()
                middle = os.fork()
                if middle == 0:
                    orphan = os.fork()
                    if orphan == 0:
                        os.read(0, 1)
                    else:
                        os.write(1, f'orphan {orphan}\\nready 0\\n'.encode())
                    os._exit(0)
                os.waitpid(middle, 0)
                sys.stdin.read()
                """;
        String mark = "INFERSCOPE_TEST_MARK=" + folder;
        ProcessBuilder builder = new ProcessBuilder("python3", "-c", script).redirectErrorStream(true);
        builder.environment().put("INFERSCOPE_TEST_MARK", folder.toString());
        Process program = builder.start();
        started.add(program);
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 26)) {
            HostSampler sampler =
                    NoStacks.sampler(new LinuxSystem(), writer, (int) program.pid(), System.nanoTime(), mark);
            program.getOutputStream().write('\n');
            program.getOutputStream().flush();
            awaitReady(program);
            while (sampler.seen().stream().noneMatch(process -> process.pid() == ids.get("orphan"))) {
                Thread.sleep(10); // The scan of all processes comes once a second.
            }
            program.getOutputStream().close();
            program.waitFor();
            sampler.stop(System.nanoTime(), 0);
            assertThat(sampler.seen()).extracting(HostSampler.SeenProcess::pid).contains(ids.get("orphan"));
        }
    }

    /** Each child begins and ends within a few milliseconds, unless the machine is busy. */
    @Test
    void whatShortLivedChildrenComputedIsKnownByTheirParentsCount() throws Exception {
        Process program = python("""
                import os, sys
                sys.stdin.readline()
                while sum(os.times()[2:4]) < 0.4:
                    os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)
                print('ready', round(1000 * sum(os.times()[2:4])), flush=True)
                sys.stdin.read()
                """);
        String pid = Long.toString(program.pid());
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 26)) {
            HostSampler sampler =
                    NoStacks.sampler(new LinuxSystem(), writer, (int) program.pid(), System.nanoTime(), "");
            program.getOutputStream().write('\n');
            program.getOutputStream().flush();
            awaitReady(program);
            sampler.stop(System.nanoTime(), 0); // A program that is gone could not be read once more.
            sampler.writeCoverage(0);
        }
        Timeline timeline = CoreFormats.load(folder);
        Map<Integer, Double> unseenNs = new HashMap<>();
        long sampledNs = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            int track = timeline.track(row);
            if (timeline.kind(row) == RowKind.COUNTER && timeline.name(row).equals("host.unseen_children_cpu_ns")) {
                unseenNs.put(track, Double.longBitsToDouble(timeline.attribute(row, Attribute.COUNTER_VALUE)));
            } else if (timeline.kind(row) == RowKind.THREAD_STATE
                    && !timeline.tracks().get(track).key().equals(pid)) {
                sampledNs += timeline.attribute(row, Attribute.ON_CPU_NS);
            }
        }
        double allNs = sampledNs
                + unseenNs.values().stream().mapToDouble(Double::doubleValue).sum();
        assertThat(unseenNs).isNotEmpty();
        assertThat(allNs / 1e6)
                .as("CPU time of all children, in ms, which the program was told in ticks of 10 ms")
                .isCloseTo(ids.get("ready"), within(50.0));
        assertThat(timeline.info().coverage().get(0).why())
                .contains("child processes that lived too shortly to be seen, by their parents' counts");
    }

    @Test
    void samplingAProcessThatIsGoneEndsQuietly() throws Exception {
        assertThat(coverageAfterTheEnd(0).why()).startsWith("sampled every ").doesNotContain("CPU time");
    }

    @Test
    void cpuTimeThatIsNotPlacedIsSaidInWordsNotInACountOfEvents() throws Exception {
        Coverage coverage = coverageAfterTheEnd(46_100_000);
        assertThat(coverage.why())
                .contains(
                        "46.1 ms of CPU time belongs to processes and threads that ended between two samples, and is not assigned");
        assertThat(coverage.missing()).isZero();
    }

    /** Samples a process that has ended, to which the kernel accounts {@code treeCpuNs}. */
    private Coverage coverageAfterTheEnd(long treeCpuNs) throws Exception {
        Process program = new ProcessBuilder("true").start();
        program.waitFor();
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 26)) {
            HostSampler sampler =
                    NoStacks.sampler(new LinuxSystem(), writer, (int) program.pid(), System.nanoTime(), "");
            sampler.stop(System.nanoTime(), 0);
            sampler.writeCoverage(treeCpuNs);
        }
        List<Coverage> coverage = CoreFormats.load(folder).info().coverage();
        assertThat(coverage).extracting(Coverage::source).containsExactly("host");
        return coverage.get(0);
    }

    /** Which of the expected programs were seen. */
    private List<String> programs(HostSampler sampler) {
        List<String> seen = new ArrayList<>();
        for (HostSampler.SeenProcess process : sampler.seen()) {
            boolean cat = process.program().equals("cat");
            if (process.pid() == ids.get("fork")) {
                seen.add("fork");
            } else if (cat) {
                seen.add(process.pid() == ids.get("cat") ? "cat" : "cat of the shell");
            }
        }
        return seen;
    }

    private static void assertIntervalsAreConsistent(Timeline timeline) {
        long[] lastEnd = new long[timeline.tracks().size()];
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.THREAD_STATE) {
                long onCpuNs = timeline.attribute(row, Attribute.ON_CPU_NS);
                long runnableNs = timeline.attribute(row, Attribute.RUNNABLE_NS);
                assertThat(onCpuNs + runnableNs).isBetween(0L, timeline.durationNs(row));
                assertThat(timeline.startNs(row)).isGreaterThanOrEqualTo(lastEnd[timeline.track(row)]);
                lastEnd[timeline.track(row)] = timeline.endNs(row);
            }
        }
    }

    private WaitReason mainReason(Timeline timeline, String name) {
        long[] blockedNs = new long[WaitReason.values().length];
        states(timeline, Integer.toString(ids.get(name))).forEach(row -> {
            int reason = (int) timeline.attribute(row, Attribute.WAIT_REASON);
            blockedNs[reason] += timeline.durationNs(row)
                    - timeline.attribute(row, Attribute.ON_CPU_NS)
                    - timeline.attribute(row, Attribute.RUNNABLE_NS);
        });
        int largest = IntStream.range(0, blockedNs.length).reduce(0, (a, b) -> blockedNs[b] > blockedNs[a] ? b : a);
        return WaitReason.of(largest);
    }

    private static long sum(Timeline timeline, String tid, Attribute attribute) {
        return states(timeline, tid)
                .mapToLong(row -> timeline.attribute(row, attribute))
                .sum();
    }

    private static IntStream states(Timeline timeline, String tid) {
        List<Integer> tracks = timeline.tracks().stream()
                .filter(track -> track.kind() == TrackKind.THREAD && track.key().equals(tid))
                .map(Track::id)
                .toList();
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE && tracks.contains(timeline.track(row)));
    }

    private Process python(String script) throws IOException {
        Process process = new ProcessBuilder("python3", "-c", script)
                .redirectErrorStream(true)
                .start();
        started.add(process);
        return process;
    }

    private void awaitReady(Process program) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
        while (!ids.containsKey("ready")) {
            String line = lines.readLine();
            assertThat(line).as("the program's output so far: %s", ids).isNotNull();
            String[] words = line.split(" ", -1);
            ids.put(words[0], Integer.parseInt(words[1]));
        }
    }

    private static void awaitStopped(int pid) throws IOException, InterruptedException {
        for (String tid : java.util.Objects.requireNonNull(
                Path.of("/proc", "" + pid, "task").toFile().list())) {
            while (!Files.readString(Path.of("/proc/" + pid + "/task/" + tid + "/stat"))
                    .contains(") T ")) {
                Thread.sleep(5);
            }
        }
    }
}

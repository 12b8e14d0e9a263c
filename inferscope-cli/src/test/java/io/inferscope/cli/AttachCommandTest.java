package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.Until;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code inferscope attach} to real processes; CPU times are compared with the kernel's own counters. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class AttachCommandTest {
    /** Uses CPU time, names it, then works on one word per line of input; "child" starts a program, "end" ends it. */
    private static final String SERVER = """
            import subprocess, sys, threading, time
            old = subprocess.Popen(['sleep', '1000'])
            while time.process_time() < 0.5: pass
            print('ready', old.pid, flush=True)
            for line in sys.stdin:
                if line == 'end\\n': break
                if line == 'child\\n':
                    child = subprocess.Popen(['sleep', '1000'])
                    print('child', child.pid, flush=True)
            old.kill(); old.wait()
            print('done', flush=True)
            """;

    @TempDir
    Path folder;

    private InferScopeProcess inferscope;
    private Process target;
    private BufferedReader output;
    private int oldChild;

    @BeforeEach
    void startTarget() throws IOException {
        inferscope = new InferScopeProcess(folder);
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path script = Files.writeString(folder.resolve("server.py"), SERVER);
        target = new ProcessBuilder("python3", script.toString())
                .directory(elsewhere.toFile())
                .start();
        output = new BufferedReader(new InputStreamReader(target.getInputStream(), StandardCharsets.UTF_8));
        oldChild = Integer.parseInt(output.readLine().split(" ", -1)[1]);
    }

    @AfterEach
    void endTarget() {
        target.descendants().forEach(ProcessHandle::destroyForcibly);
        target.destroyForcibly();
    }

    @Test
    void runningProcessIsExplainedAndStaysAsItWas() throws Exception {
        String before = shape();
        long cpuBeforeNs = cpuNs();
        Result result = inferscope.run("attach", pid(), "--duration", "1s", "-o", "r.md");
        long cpuNs = cpuNs() - cpuBeforeNs;
        assertThat(result.exitCode()).isZero();
        assertThat(result.stderr()).contains("recording process " + pid() + " (server) for 1s", "Report: r.md");
        assertThat(result.out().replaceAll("\\s+", " "))
                .contains("End-to-end latency")
                .containsPattern("attached for [1-9]\\d*\\.\\d s");
        assertThat(folder.resolve("r.md")).content().contains("`inferscope run` records them");
        assertThat(shape()).isEqualTo(before);
        Timeline timeline = trace();
        assertThat(onCpuNs(timeline)).isLessThanOrEqualTo(cpuNs);
        assertThat(names(timeline)).contains(pid(), Integer.toString(oldChild)).hasSize(2);
        assertThat(folder.resolve("outputs/spool_server")).doesNotExist();
        say("end");
        assertThat(output.readLine()).isEqualTo("done");
        assertThat(target.waitFor()).isZero();
    }

    @Test
    void interruptEndsTheRecordingAndStillReports() throws Exception {
        Process recording =
                inferscope.builder("attach", pid(), "--duration", "0").start();
        Until.holds(() -> stored().contains(Integer.toString(oldChild)));
        say("child");
        String child = output.readLine().split(" ", -1)[1];
        Until.holds(() -> stored().contains(child));
        new ProcessBuilder("kill", "-INT", Long.toString(recording.pid()))
                .start()
                .waitFor();
        Result result = inferscope.await(recording);
        assertThat(result.exitCode()).isZero();
        assertThat(result.stderr()).contains("Report: outputs/report_server.md");
        assertThat(names(trace())).contains(pid(), Integer.toString(oldChild), child);
        assertThat(target.isAlive()).isTrue();
    }

    @Test
    void targetThatEndsEarlyEndsTheRecording() throws Exception {
        Process recording = inferscope.builder("attach", pid(), "-d", "10m").start();
        Until.holds(() -> stored().contains(pid()));
        say("end");
        Result result = inferscope.await(recording);
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("End-to-end latency");
    }

    @Tag("slow")
    @Test
    void killedRecordingIsRecovered() throws Exception {
        Process recording = inferscope.builder("attach", pid(), "-d", "10m").start();
        Until.holds(() -> stored().contains(pid()));
        recording.destroyForcibly().waitFor();
        Result result = inferscope.run("recover", "outputs/spool_server");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("End-to-end latency");
        assertThat(target.isAlive()).isTrue();
    }

    @Test
    void whatIsNoProcessGives3() throws Exception {
        Result missing = inferscope.run("attach", "2147483000");
        assertThat(missing.exitCode()).isEqualTo(3);
        assertThat(missing.stderr()).contains("there is no process 2147483000");
        assertThat(InferScopeProcess.here("attach", "--duration", "long", pid()).exitCode())
                .isEqualTo(2);
        assertThat(folder.resolve("outputs")).doesNotExist();
    }

    @Test
    void processThatMayNotBeObservedGives4() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root, to give up a capability");
        InferScopeProcess lesser =
                new InferScopeProcess(folder, "setpriv", "--inh-caps=-sys_ptrace", "--bounding-set=-sys_ptrace");
        Result result = lesser.run("attach", pid());
        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.stderr()).contains("root lacks CAP_SYS_PTRACE", "--cap-add=SYS_PTRACE");
        assertThat(folder.resolve("outputs")).doesNotExist();
    }

    @Test
    void processOutsideOfItsUserNamespaceIsNamedSo() throws Exception {
        List<String> inside = List.of("unshare", "--user", "--map-root-user");
        List<String> attempt = new ArrayList<>(inside);
        attempt.add("true");
        assumeTrue(new ProcessBuilder(attempt).start().waitFor() == 0, "no user namespaces here");
        Result result = new InferScopeProcess(folder, inside.toArray(String[]::new)).run("attach", pid());
        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.stderr()).contains("another user namespace").hasLineCount(1);
        assertThat(target.isAlive()).isTrue();
    }

    /** What an observer could leave behind: open files, mapped files, signal handlers, a tracer, files beside it. */
    private String shape() throws IOException {
        String proc = "/proc/" + target.pid() + "/";
        List<String> parts = new ArrayList<>();
        try (var descriptors = Files.list(Path.of(proc + "fd"))) {
            parts.add(descriptors.map(Path::toString).sorted().toList().toString());
        }
        Files.readAllLines(Path.of(proc + "maps")).stream()
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .filter(file -> file.startsWith("/"))
                .distinct()
                .sorted()
                .forEach(parts::add);
        Files.readAllLines(Path.of(proc + "status")).stream()
                .filter(line -> line.matches("(SigPnd|SigBlk|SigIgn|SigCgt|Shd|TracerPid|Threads|Groups|Cap).*"))
                .forEach(parts::add);
        try (var files = Files.list(folder.resolve("elsewhere"))) {
            parts.add(files.toList().toString());
        }
        return String.join("\n", parts);
    }

    private long cpuNs() throws IOException {
        long ns = 0;
        for (long pid : new long[] {target.pid(), oldChild}) {
            ns += Long.parseLong(
                    Files.readString(Path.of("/proc/" + pid + "/schedstat")).split(" ", -1)[0]);
        }
        return ns;
    }

    private Timeline trace() throws Exception {
        return Formats.importers().load(folder.resolve("outputs/trace_server.json.gz"));
    }

    private static long onCpuNs(Timeline timeline) {
        long ns = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            ns += timeline.kind(row) == RowKind.THREAD_STATE ? timeline.attribute(row, Attribute.ON_CPU_NS) : 0;
        }
        return ns;
    }

    private static Set<String> names(Timeline timeline) {
        TreeMap<String, String> names = new TreeMap<>();
        timeline.tracks().stream()
                .filter(track -> track.kind() == TrackKind.PROCESS)
                .forEach((Track track) -> names.put(track.key(), track.name()));
        return names.keySet();
    }

    private String pid() {
        return Long.toString(target.pid());
    }

    private void say(String word) throws IOException {
        target.getOutputStream().write((word + "\n").getBytes(StandardCharsets.UTF_8));
        target.getOutputStream().flush();
    }

    private Set<String> stored() {
        return InferScopeProcess.stored(folder.resolve("outputs/spool_server"));
    }
}

package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.fixture.Until;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Which processes are found, and as what, when a program makes them in every way that programs do. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class ProcessesTest {
    private static final String PROGRAM = """
            import multiprocessing, os, subprocess, sys, time

            def stay(ready, end):
                ready.set(); end.wait()

            def announce(name, pid): print(name, pid, flush=True)

            def main():
                for method in ('spawn', 'fork', 'forkserver'):
                    context = multiprocessing.get_context(method)
                    ready, end = context.Event(), context.Event()
                    worker = context.Process(target=stay, args=(ready, end), daemon=True)
                    worker.start()
                    ready.wait()
                    announce(method, worker.pid)
                module = [sys.executable, '-m', 'http.server', '--bind', '127.0.0.1', '0']
                ranked = dict(os.environ, RANK='3', LOCAL_RANK='1', HF_TOKEN='hf_never')
                announce('module', subprocess.Popen(module, stdout=-3, stderr=-3, env=ranked).pid)
                middle = os.fork()
                if middle == 0:
                    os.setsid()
                    daemon = os.fork()
                    if daemon:
                        announce('daemon', daemon)
                        os._exit(0)
                    os.execvp('sleep', ['sleep', '1000'])
                os.waitpid(middle, 0)
                for _ in range(20): subprocess.run(['true'])
                announce('ready', 0)
                sys.stdin.read()

            if __name__ == '__main__':
                main()
            """;

    @TempDir
    Path folder;

    @Test
    void thoseThatEndedAreSeenButDoNotRun() throws Exception {
        Process program = new ProcessBuilder("sh", "-c", "sleep 1000 & echo $!; wait $!; sleep 1000").start();
        int child = Integer.parseInt(program.inputReader().readLine());
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 24)) {
            HostSampler sampler =
                    NoStacks.sampler(new LinuxSystem(), writer, (int) program.pid(), System.nanoTime(), "");
            Until.holds(() -> pids(sampler.processes().running()).contains(child));
            ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly);
            Until.holds(() -> !pids(sampler.processes().running()).contains(child));
            assertThat(pids(sampler.processes().running())).contains((int) program.pid());
            sampler.stop(System.nanoTime(), 0);
            assertThat(pids(sampler.seen())).contains((int) program.pid(), child);
        } finally {
            program.descendants().forEach(ProcessHandle::destroyForcibly);
            program.destroyForcibly();
        }
    }

    private static List<Integer> pids(List<HostSampler.SeenProcess> processes) {
        return processes.stream().map(HostSampler.SeenProcess::pid).toList();
    }

    @Test
    void eachIsFoundUnderItsNameWithRoleAndRank() throws Exception {
        QuietMachine.judge(folder, attempt -> {
            Path script = Files.writeString(attempt.resolve("engine.py"), PROGRAM);
            Path spools = attempt.resolve("spools");
            String mark = "INFERSCOPE_TEST_MARK=" + attempt;
            ProcessBuilder builder = new ProcessBuilder("python3", script.toString(), "--api-key", "s3cret");
            builder.environment().put("INFERSCOPE_TEST_MARK", attempt.toString());
            Process program = builder.redirectErrorStream(true).start();
            Map<String, Integer> ids = new HashMap<>();
            try (SpoolWriter writer = SpoolWriter.open(spools, "host", 0, 1 << 26)) {
                HostSampler sampler =
                        NoStacks.sampler(new LinuxSystem(), writer, (int) program.pid(), System.nanoTime(), mark);
                awaitReady(program, ids);
                List<Integer> expected =
                        ids.values().stream().filter(pid -> pid > 0).toList();
                Until.holds(() ->
                        pids(sampler.seen()).containsAll(expected)); // What lost its parent is found once a second.
                Thread.sleep(1200); // Roles are looked at once a second.
                sampler.stop(System.nanoTime(), 0);
            } finally {
                ids.values().stream()
                        .filter(pid -> pid > 0)
                        .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
                program.descendants().forEach(ProcessHandle::destroyForcibly);
                program.destroyForcibly();
            }
            Timeline timeline = CoreFormats.load(spools);
            Map<String, String> names = processNames(timeline);
            assertThat(names).containsEntry("" + program.pid(), "engine.py");
            assertThat(names).containsEntry("" + ids.get("fork"), "engine.py");
            assertThat(names).containsEntry("" + ids.get("daemon"), "sleep");
            assertThat(names.get("" + ids.get("module"))).startsWith("http.server");
            Map<String, String> notes = timeline.properties();
            assertThat(notes).containsEntry("process." + ids.get("spawn") + ".role", "spawn");
            assertThat(notes).containsEntry("process." + ids.get("fork") + ".role", "fork");
            assertThat(notes).containsEntry("process." + ids.get("module") + ".rank", "3");
            assertThat(notes).containsEntry("process." + ids.get("module") + ".local_rank", "1");
            assertThat(notes).containsValue("forkserver").containsValue("resource_tracker");
            try (var files = Files.list(spools)) {
                for (Path spool : files.toList()) {
                    assertThat(Files.readString(spool, StandardCharsets.ISO_8859_1))
                            .doesNotContain("s3cret")
                            .doesNotContain("hf_never");
                }
            }
        });
    }

    private static Map<String, String> processNames(Timeline timeline) {
        Map<String, String> names = new HashMap<>();
        IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.PROCESS)
                .forEach(row ->
                        names.put(timeline.tracks().get(timeline.track(row)).key(), timeline.name(row)));
        return names;
    }

    private static void awaitReady(Process program, Map<String, Integer> ids) throws Exception {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
        while (!ids.containsKey("ready")) {
            String line = lines.readLine();
            assertThat(line).as("the program's output so far: %s", ids).isNotNull();
            String[] words = line.split(" ", -1);
            assertThat(words).as(line).hasSize(2);
            ids.put(words[0], Integer.parseInt(words[1]));
        }
    }
}

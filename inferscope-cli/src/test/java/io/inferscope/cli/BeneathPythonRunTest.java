package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.fixture.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real Python programs whose time goes by beneath Python: what the report calls it. Each does one thing nearly all of its time. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class BeneathPythonRunTest {
    @TempDir
    Path folder;

    private String python = "python3";

    /** Ledger of the judged part: share by class id. */
    private Map<String, Double> sharesOf(String script, String... options) throws IOException, InterruptedException {
        Files.writeString(folder.resolve("infer.py"), script);
        List<String> words = new ArrayList<>(List.of("run", "--perf", "-o", "r.json"));
        words.addAll(List.of(options));
        words.addAll(List.of("--", python, "infer.py"));
        Result result = new InferScopeProcess(folder).run(words.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return shares();
    }

    private Map<String, Double> shares() throws IOException {
        Map<String, Double> shares = new HashMap<>();
        Map<String, Object> report = Json.object(Json.parse(Files.readString(folder.resolve("r.json"))));
        Map<String, Object> ledger =
                Json.object(Json.list(report.get("ledgers")).get(0));
        for (Object entry : Json.list(ledger.get("classes"))) {
            Map<String, Object> named = Json.object(entry);
            shares.merge((String) named.get("id"), ((Number) named.get("share")).doubleValue(), Double::sum);
        }
        return shares;
    }

    @Test
    void timeInAWrappedCallIsNotTheRecorders() throws Exception {
        QuietMachine.judge(attempt -> {
            Map<String, Double> shares = sharesOf("""
                    import socket, time
                    near, far = socket.socketpair()
                    data, view = bytes(150_000), memoryview(bytearray(150_000))
                    end = time.thread_time() + 0.5
                    while time.thread_time() < end:
                        near.sendall(data)
                        got = 0
                        while got < len(data):
                            got += far.recv_into(view)
                    """);
            assertThat(ofWork(shares, "profiler")).as("%s", shares).isLessThan(0.3);
        });
    }

    @Test
    void aStoppedProgramDoesNotWaitForAnybody() throws Exception {
        QuietMachine.judge(attempt -> {
            Map<String, Double> shares = sharesOf("""
                    import os, subprocess, sys, time
                    stopper = subprocess.Popen([sys.executable, "-S", "-c", "if True:\\n"
                        "    import os, signal, sys, time\\n"
                        "    for _ in range(4):\\n"
                        "        time.sleep(0.2)\\n"
                        "        os.kill(int(sys.argv[1]), signal.SIGSTOP)\\n"
                        "        time.sleep(0.6)\\n"
                        "        os.kill(int(sys.argv[1]), signal.SIGCONT)", str(os.getpid())])
                    while stopper.poll() is None:
                        sum(i * i for i in range(10_000))
                    """);
            assertThat(shares)
                    .hasEntrySatisfying(
                            "wait.stopped", share -> assertThat(share).isBetween(0.45, 0.85));
            assertThat(shares.getOrDefault("wait.unknown", 0.0)).isLessThan(0.1);
        });
    }

    /** A worker behind a queue in C, in a program of which nothing but samples and counters is known. */
    @Test
    void withoutTheProbeTheLoopIsJudgedAndItsWorkerFollowed() throws Exception {
        QuietMachine.judge(attempt -> {
            Map<String, Double> shares = sharesOf("""
                    import queue, threading, time, zlib
                    until = time.thread_time() + 0.5
                    while time.thread_time() < until: pass
                    jobs, done = queue.SimpleQueue(), queue.SimpleQueue()
                    def pack():
                        while True:
                            data = jobs.get()
                            done.put(zlib.compress(data, 6))
                    threading.Thread(target=pack, daemon=True).start()
                    data = bytes(range(256)) * 2000
                    until = time.monotonic() + 2
                    while time.monotonic() < until:
                        jobs.put(data)
                        packed = done.get()
                        for _ in range(6):
                            zlib.decompress(packed)
                    """, "--no-probe");
            Map<String, Object> report = Json.object(Json.parse(Files.readString(folder.resolve("r.json"))));
            Map<String, Object> ledger =
                    Json.object(Json.list(report.get("ledgers")).get(0));
            assertThat(ledger).containsEntry("part", "steady-state");
            assertThat(shares.getOrDefault("wait.unknown", 0.0))
                    .as("%s", shares)
                    .isLessThan(0.1);
            assertThat(shares.getOrDefault("unattributed", 0.0))
                    .as("%s", shares)
                    .isLessThan(0.05);
            assertThat(report.get("findings").toString()).contains("infer.py:8 pack");
        });
    }

    /** Its parent holds both ends of the pipe, as multiprocessing's queues do: only the code that waits tells who is waited for. */
    @Tag("slow")
    @Test
    void withoutTheProbeAWorkerProcessIsFollowed() throws Exception {
        QuietMachine.judge(attempt -> {
            Map<String, Double> shares = sharesOf("""
                    import multiprocessing, time
                    def decode(rounds):
                        return sum(i * i for i in range(rounds))
                    def feed(jobs, done):
                        while True:
                            done.put(decode(jobs.get()))
                    if __name__ == "__main__":
                        context = multiprocessing.get_context("fork")
                        jobs, done = context.SimpleQueue(), context.SimpleQueue()
                        context.Process(target=feed, args=(jobs, done), daemon=True).start()
                        until = time.monotonic() + 3
                        while time.monotonic() < until:
                            jobs.put(200000)
                            done.get()
                            sorted(str(i) for i in range(120000))
                    """, "--no-probe");
            assertThat(shares.getOrDefault("wait.unknown", 0.0))
                    .as("%s", shares)
                    .isLessThan(0.25);
            String findings = Json.object(Json.parse(Files.readString(folder.resolve("r.json"))))
                    .get("findings")
                    .toString();
            assertThat(findings).contains("waiting-for-worker", "infer.py:3 decode");
        });
    }

    /** The host collector finds the process at the other end of a connection: of TCP, and of a pair that both inherited. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("slow")
    void withoutTheProbeTheOtherEndOfAConnectionIsFollowed(boolean tcp) throws Exception {
        assumeTrue(tcp || !new LinuxSystem().unixPeers().isEmpty(), "the kernel does not list Unix sockets here");
        QuietMachine.judge(attempt -> {
            Map<String, Double> shares =
                    sharesOf("""
                    import os, socket, time
                    def decode(rounds):
                        return sum(i * i for i in range(rounds))
                    if %s:
                        server = socket.create_server(("127.0.0.1", 0))
                        client = socket.create_connection(server.getsockname())
                        connection = server.accept()[0]
                    else:
                        client, connection = socket.socketpair()
                    if os.fork() == 0:
                        if %s: client.close()
                        while connection.recv(1):
                            decode(200000)
                            connection.send(b"x")
                        os._exit(0)
                    until = time.monotonic() + 4
                    while time.monotonic() < until:
                        client.send(b"x")
                        client.recv(1)
                        sorted(str(i) for i in range(60000))
                    client.shutdown(socket.SHUT_RDWR)
                    """.formatted(tcp ? "True" : "False", tcp ? "True" : "False"), "--no-probe");
            assertThat(shares.getOrDefault("wait.socket", 0.0)).as("%s", shares).isLessThan(0.25);
            assertThat(Files.readString(folder.resolve("r.json"))).contains("infer.py:3 decode");
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("programs")
    void whatRunsBeneathPythonIsNamed(String what, String expected, String setUp, String step) throws Exception {
        QuietMachine.judge(attempt -> {
            Map<String, Double> shares = sharesOf(
                    setUp + "\nimport time\nend = time.thread_time() + 0.6\nwhile time.thread_time() < end:\n    "
                            + step + "\n");
            assumeTrue(nativeStacks() > 0, "perf events are refused here");
            assumeTrue(!expected.startsWith("kernel") || isKernelSeen(), "the kernel is not seen here");
            assertThat(ofWork(shares, expected)).as("%s", shares).isGreaterThan(0.6);
            assertThat(ofWork(shares, "cpu.python")).as("%s", shares).isLessThan(0.3);
        });
    }

    /** Its samples alone tell what it does: without site, the probe does not enter it. */
    @Test
    void aChildThatTheProbeCannotEnterIsFollowed() throws Exception {
        QuietMachine.judge(attempt -> {
            Map<String, Double> shares = sharesOf("""
                    import subprocess, sys
                    pack = \"\"\"
                    import time, zlib
                    data, end = bytes(range(256)) * 4000, time.thread_time() + 0.25
                    while time.thread_time() < end: zlib.compress(data)
                    \"\"\"
                    for _ in range(5):
                        subprocess.run([sys.executable, "-S", "-c", pack])
                    """);
            assertThat(shares.getOrDefault("cpu.native", 0.0)).as("%s", shares).isGreaterThan(0.5);
            assertThat(shares.getOrDefault("wait.unknown", 0.0))
                    .as("%s", shares)
                    .isLessThan(0.1);
        });
    }

    /** Three tasks, one of which computes between its awaits: the report names its call and the line that computes. */
    @Test
    @Tag("slow")
    void aTaskThatKeepsOthersFromTheirLoopIsNamed() throws Exception {
        QuietMachine.judge(attempt -> {
            sharesOf("""
                    import asyncio, time
                    def score():
                        end = time.thread_time() + 0.08
                        while time.thread_time() < end: pass
                    async def rank(queue):
                        for _ in range(12):
                            score()
                            await queue.put(1)
                            await asyncio.sleep(0.02)
                        await queue.put(0)
                    async def consume(queue):
                        while await queue.get(): pass
                    async def ping():
                        while True: await asyncio.sleep(0.007)
                    async def main():
                        queue = asyncio.Queue()
                        pings = asyncio.ensure_future(ping())
                        await asyncio.gather(rank(queue), consume(queue))
                        pings.cancel()
                    asyncio.run(main())
                    """);
            Map<String, Object> report = Json.object(Json.parse(Files.readString(folder.resolve("r.json"))));
            List<String> findings = Json.list(report.get("findings")).stream()
                    .map(finding -> Json.object(finding))
                    .filter(finding -> "busy-event-loop".equals(finding.get("rule")))
                    .map(Object::toString)
                    .toList();
            assertThat(findings).hasSize(1);
            assertThat(findings.get(0)).contains("infer.py:7 rank", "infer.py:4 score");
        });
    }

    @Test
    @Tag("torch")
    @Tag("slow")
    void operatorsOutsideOfModulesAreTheModels() throws Exception {
        String torch = System.getenv("INFERSCOPE_TEST_PYTHON");
        assumeTrue("1".equals(System.getenv("INFERSCOPE_TEST_TORCH")) && torch != null, "no Python with torch");
        python = torch;
        QuietMachine.judge(attempt -> {
            Map<String, Double> shares = sharesOf("""
                    import time, torch
                    torch.set_num_threads(1)
                    logits = torch.randn(8, 32000)
                    end = time.thread_time() + 2
                    while time.thread_time() < end:
                        values, order = torch.sort(torch.softmax(logits, -1), descending=True)
                        torch.where(torch.cumsum(values, -1) > 0.9, 0.0, values).sum()
                    """);
            assumeTrue(nativeStacks() > 0, "perf events are refused here");
            assertThat(ofWork(shares, "cpu.model-compute")).as("%s", shares).isGreaterThan(0.6);
        });
    }

    static Stream<String> optionsForNativeStacks() {
        return Seeds.areAll() ? Stream.of("", "--perf") : Stream.of("");
    }

    /** Without being asked for, too: nothing else tells its stacks. */
    @ParameterizedTest(name = "run {0}")
    @MethodSource("optionsForNativeStacks")
    @Tag("native")
    void functionsOfAProgramInCAreNamed(String option) throws Exception {
        assumeTrue(new ProcessBuilder("sh", "-c", "command -v cc").start().waitFor() == 0, "no C compiler");
        Files.writeString(folder.resolve("serve.c"), """
                #include <pthread.h>
                #include <time.h>
                volatile unsigned sum;
                __attribute__((noinline)) void score(void) { for (int i = 0; i < 1000000; i++) sum += i * sum; }
                void *work(void *none) { while (clock() < CLOCKS_PER_SEC / 2) score(); return none; }
                int main(void) {
                    pthread_t thread;
                    pthread_create(&thread, 0, work, 0);
                    pthread_join(thread, 0);
                }
                """);
        assertThat(new ProcessBuilder("cc", "-O1", "-o", "serve", "serve.c", "-pthread")
                        .directory(folder.toFile())
                        .start()
                        .waitFor())
                .isZero();
        QuietMachine.judge(attempt -> {
            List<String> words = new ArrayList<>(List.of("run", "-o", "r.json", "--", "./serve"));
            if (!option.isEmpty()) {
                words.add(1, option);
            }
            Result result = new InferScopeProcess(folder).run(words.toArray(String[]::new));
            assertThat(result.exitCode()).as(result.stderr()).isZero();
            assumeTrue(nativeStacks() > 0, "perf events are refused here");
            assertThat(ofWork(shares(), "cpu.code")).as("%s", shares()).isGreaterThan(0.7);
            assertThat(folder.resolve("r.json"))
                    .content()
                    .contains("score [serve]")
                    .contains("\"path\": \"" + folder.toRealPath().resolve("serve") + '"');
        });
    }

    /** Node names what it compiles only where it is asked to; without that, the report says how to ask. */
    @Tag("slow")
    @Test
    void functionsThatNodeCompiledAreNamedWhereItWritesTheirNames() throws Exception {
        assumeTrue(new ProcessBuilder("sh", "-c", "command -v node").start().waitFor() == 0, "no node");
        Files.writeString(folder.resolve("serve.js"), """
                function score(text) {
                  let sum = 0;
                  for (let i = 0; i < 200000; i++) sum = (sum * 31 + text.charCodeAt(i % text.length)) | 0;
                  return sum;
                }
                const begin = process.cpuUsage().user;
                let sum = 0;
                while (process.cpuUsage().user < begin + 1500000) sum += score("what is asked");
                console.log(sum);
                """);
        QuietMachine.judge(attempt -> {
            for (String option : List.of("--perf-basic-prof", "--no-perf-basic-prof")) {
                Result result =
                        new InferScopeProcess(folder).run("run", "-o", "r.json", "--", "node", option, "serve.js");
                assertThat(result.exitCode()).as(result.stderr()).isZero();
                assumeTrue(nativeStacks() > 0, "perf events are refused here");
                String first = Json.list(Json.object(Json.parse(Files.readString(folder.resolve("r.json"))))
                                .get("findings"))
                        .stream()
                        .map(finding -> Json.object(finding).toString())
                        .filter(finding -> !finding.contains("cpu-contention"))
                        .findFirst()
                        .orElseThrow();
                if (option.startsWith("--no")) {
                    assertThat(first).contains("[generated code]", "start `node` with `--perf-basic-prof ");
                } else {
                    assertThat(first).contains("serve.js:1 score").doesNotContain("--perf-basic-prof");
                }
            }
        });
    }

    /** Six functions of V8 and more lie between its parser and the line that calls it. */
    @Test
    void whatNodeDoesForALineOfJavaScriptIsNamedByThatLine() throws Exception {
        assumeTrue(new ProcessBuilder("sh", "-c", "command -v node").start().waitFor() == 0, "no node");
        Files.writeString(folder.resolve("serve.js"), """
                function load(text) {
                  return JSON.parse(text).length;
                }
                const rows = Array.from({ length: 20000 }, (_, i) => ({ id: i, name: "row " + i }));
                const text = JSON.stringify(rows);
                const begin = process.cpuUsage().user;
                let sum = 0;
                while (process.cpuUsage().user < begin + 1500000) sum += load(text);
                console.log(sum);
                """);
        QuietMachine.judge(attempt -> {
            Result result = new InferScopeProcess(folder)
                    .run("run", "-o", "r.json", "--", "node", "--perf-basic-prof", "serve.js");
            assertThat(result.exitCode()).as(result.stderr()).isZero();
            assumeTrue(nativeStacks() > 0, "perf events are refused here");
            assertThat(ofWork(shares(), "cpu.native")).as("%s", shares()).isGreaterThan(0.5);
            assertThat(ofWork(shares(), "cpu.code")).as("%s", shares()).isLessThan(0.2);
            assertThat(folder.resolve("r.json")).content().contains("serve.js:1 load");
        });
    }

    /** Compiled with -g, a program in C has hot lines. Its inlined function is on the line that called it, too. */
    @Test
    @Tag("native")
    void hotLinesOfAProgramInCAreNamed() throws Exception {
        for (String tool : List.of("cc", "addr2line")) {
            assumeTrue(
                    new ProcessBuilder("sh", "-c", "command -v " + tool).start().waitFor() == 0, "no " + tool);
        }
        Files.writeString(folder.resolve("hot.c"), """
                #include <time.h>
                volatile unsigned sum;
                static inline unsigned mix(unsigned x) {
                    return x % (sum | 3) % (sum | 5) % (sum | 7);
                }
                __attribute__((noinline)) void score(void) {
                    for (unsigned i = 0; i < 1000000; i++)
                        sum += mix(i);
                }
                int main(void) {
                    while (clock() < CLOCKS_PER_SEC / 2)
                        score();
                }
                """);
        assertThat(new ProcessBuilder("cc", "-O1", "-g", "-o", "hot", "hot.c")
                        .directory(folder.toFile())
                        .start()
                        .waitFor())
                .isZero();
        Result result = new InferScopeProcess(folder).run("run", "-o", "r.json", "--trace", "t.json", "--", "./hot");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assumeTrue(nativeStacks() > 0, "perf events are refused here");
        assertThat(folder.resolve("r.json")).content().contains("hot.c:4 mix [hot]");
        assertThat(folder.resolve("t.json")).content().contains("hot.c(8): score [hot]");
    }

    /** A Python that a program in C starts is recorded as any other: its stacks tell more than native samples. */
    @Tag("slow")
    @Test
    void nativeSamplesOfAProgramDoNotReachThePythonThatItStarts() throws Exception {
        Files.writeString(folder.resolve("work.sh"), """
                i=0
                while [ $i -lt 300000 ]; do i=$((i + 1)); done
                %s -c 'import time
                end = time.thread_time() + 0.5
                while time.thread_time() < end: pass'
                exec %s -c 'import time
                end = time.thread_time() + 0.5
                while time.thread_time() < end: pass'
                """.formatted(python, python));
        Result result = new InferScopeProcess(folder)
                .run("run", "--no-native", "-o", "r.json", "--trace", "t.json", "sh", "work.sh");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        String trace = Files.readString(folder.resolve("t.json"));
        assumeTrue(nativeStacks() > 0, "perf events are refused here, or the shell was too fast");
        assertThat(trace).doesNotContain("_PyEval").contains("<string>(3): <module>");
    }

    /** Each kind of time once, but where all seeds are taken. */
    static Stream<Arguments> programs() {
        List<String> once = List.of("full scans in SQLite", "fresh pages");
        return allPrograms().filter(one -> Seeds.areAll() || once.contains(String.valueOf(one.get()[0])));
    }

    private static Stream<Arguments> allPrograms() {
        return Stream.of(
                Arguments.of(
                        "C called by ctypes",
                        "cpu.native",
                        "import ctypes\nqsort = ctypes.CDLL(None).memfrob\nroom = ctypes.create_string_buffer(1 << 22)",
                        "qsort(room, 1 << 22)"),
                Arguments.of(
                        "full scans in SQLite",
                        "cpu.native",
                        "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('create table t(a, b)')\n"
                                + "db.executemany('insert into t values(?, ?)', ((i, str(i)) for i in range(20000)))",
                        "db.execute(\"select count(*) from t where b like '%7%'\").fetchone()"),
                Arguments.of(
                        "LZMA",
                        "cpu.native",
                        "import lzma, random\ndata = random.Random(1).randbytes(40000) * 2",
                        "lzma.compress(data)"),
                Arguments.of(
                        "fresh pages",
                        "system.",
                        "import mmap",
                        "room = mmap.mmap(-1, 20000 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS); room[::4096] = bytes(20000); room.close()"),
                Arguments.of(
                        "forks of a large process",
                        "system.",
                        "import os\nroom = b'x' * (1 << 28)",
                        "child = os.fork() or os._exit(0); os.waitpid(child, 0)"),
                Arguments.of(
                        "writes into the page cache",
                        "system.file-io",
                        "f = open('out', 'wb', buffering=0)\nblock = bytes(1 << 22)",
                        "f.seek(0); f.write(block)"));
    }

    private double nativeStacks() throws IOException {
        return ((Number) coverage().getOrDefault("recorded", 0)).doubleValue();
    }

    private boolean isKernelSeen() throws IOException {
        return !String.valueOf(coverage().get("why")).contains("user mode only");
    }

    private Map<String, Object> coverage() throws IOException {
        Map<String, Object> report = Json.object(Json.parse(Files.readString(folder.resolve("r.json"))));
        return Json.list(report.get("coverage")).stream()
                .map(Json::object)
                .filter(source -> "native-stacks".equals(source.get("source")))
                .findFirst()
                .orElse(Map.of());
    }

    /** The share of classes, by the beginnings of their ids, in the time that is neither waited nor spent loading. */
    private static double ofWork(Map<String, Double> shares, String... classes) {
        double work = 0;
        double some = 0;
        for (Map.Entry<String, Double> share : shares.entrySet()) {
            String id = share.getKey();
            boolean counts = !id.startsWith("wait.") && !id.equals("framework.compile-load");
            work += counts ? share.getValue() : 0;
            some += counts && Arrays.stream(classes).anyMatch(id::startsWith) ? share.getValue() : 0;
        }
        return some / work;
    }
}

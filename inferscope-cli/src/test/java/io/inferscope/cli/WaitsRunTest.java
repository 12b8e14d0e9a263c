package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** One real program that waits in many ways: each wait is told at its line, with its cause, for as long as the program clocked. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class WaitsRunTest {
    private static final String PROGRAM = """
            import asyncio, contextlib, json, logging, logging.handlers, multiprocessing, os, queue, signal, socket
            import sqlite3, threading, time
            from inferscope import scope

            clocked = {}

            @contextlib.contextmanager
            def clock(name):
                start = time.perf_counter_ns()
                yield
                clocked[name] = time.perf_counter_ns() - start

            def spin(seconds):
                end = time.thread_time() + seconds
                while time.thread_time() < end: sum(range(200))

            def store():
                rows.execute("insert into t values (?)", ("x" * 20000,))
                rows.commit()

            def database():
                end = time.perf_counter() + 0.3
                with clock("database"):
                    while time.perf_counter() < end: store()

            async def poll():
                while True: await asyncio.sleep(0.02)

            async def write(reader, writer):
                for _ in range(12):
                    writer.write(b"x" * 1_000_000)
                    await writer.drain()
                writer.close()
                await writer.wait_closed()
                written.set()

            def read(port):
                with socket.create_connection(("127.0.0.1", port)) as one:
                    while one.recv(300_000): time.sleep(0.015)

            async def serve():
                global written
                written = asyncio.Event()
                server = await asyncio.start_server(write, "127.0.0.1", 0)
                polls = asyncio.ensure_future(poll())
                port = server.sockets[0].getsockname()[1]
                threading.Thread(target=read, args=[port], daemon=True).start()
                with clock("slow client"): await written.wait()
                polls.cancel()

            def stopped():
                child = os.fork()
                if child == 0:
                    time.sleep(0.03)
                    os.kill(os.getppid(), signal.SIGSTOP)
                    time.sleep(0.3)
                    os.kill(os.getppid(), signal.SIGCONT)
                    os._exit(0)
                spin(0.1)
                os.waitpid(child, 0)

            def digest(rows):
                spin(0.05)
                return rows

            def pickled():
                with clock("pool"):
                    for _ in range(6): pool.apply(digest, ([1.5] * 20000,))

            class Slow(logging.Handler):
                def emit(self, record): spin(0.004)

            class Patient(logging.handlers.QueueHandler):
                def enqueue(self, record): self.queue.put(record)

            def logged():
                log, lines = logging.getLogger("served"), queue.Queue(1)
                log.addHandler(Patient(lines))
                listener = logging.handlers.QueueListener(lines, Slow())
                listener.start()
                with clock("log"):
                    for _ in range(60): log.warning("answered")
                while not lines.empty(): time.sleep(0.001)
                listener.stop()

            def answer():
                with clock("llm_inference"), scope("llm_inference"):
                    with clock("render"), scope("render"): spin(0.18)
                    spin(0.12)

            if __name__ == "__main__":
                rows = sqlite3.connect("rows.db")
                rows.execute("create table if not exists t(a)")
                pool = multiprocessing.get_context("fork").Pool(1)
                database()
                asyncio.run(serve())
                stopped()
                pickled()
                logged()
                answer()
                pool.terminate()
                print(json.dumps(clocked))
            """;

    @TempDir
    Path folder;

    private Map<String, Object> report = Map.of();

    @Test
    void eachWaitIsToldAtItsLineWithItsCause() throws Exception {
        Files.writeString(folder.resolve("waits.py"), PROGRAM);
        QuietMachine.judge(attempt -> {
            Result result = new InferScopeProcess(folder).run("run", "-o", "report.json", "--", "python3", "waits.py");
            assertThat(result.exitCode()).as(result.stderr()).isZero();
            report = read("report.json");
            Map<String, Object> clocked = read(".stdout");

            // SQLite works with its file, though what it calls may look like a socket's functions.
            double databaseNs = ns(clocked, "database");
            assertThat(sumNs("hostTime", at("store").and(caused("wait.socket"))))
                    .isLessThan(0.1 * databaseNs);
            assertThat(sumNs(
                            "hostTime",
                            at("store").and(caused("(wait.(io|run-queue|page-fault)|system.*|cpu.native)"))))
                    .isGreaterThan(0.6 * databaseNs);

            // The writer waits for its client; the timer that ends the loop's waits belongs to another task.
            double clientNs = ns(clocked, "slow client");
            assertThat(sumNs("hostTime", at("write").and(caused("wait.socket"))))
                    .isGreaterThan(0.6 * clientNs);
            assertThat(sumNs("hostTime", caused("wait.timer"))).isLessThan(0.1 * clientNs);

            // Stopped for 0.3 s at the line that ran, and no wait without a cause.
            assertThat(sumNs("hostTime", at("(spin|stopped)").and(caused("wait.stopped"))))
                    .isGreaterThan(0.25e9);
            assertThat(sumNs("hostTime", caused("wait.unknown")))
                    .isLessThan(0.1 * ns(Json.object(report.get("window")), "durationNs"));

            // A pool's process and a log's thread work meanwhile.
            assertThat(sumNs("hostTime", at("spin").and(row -> Boolean.TRUE.equals(row.get("followed")))))
                    .isGreaterThan(0.6 * ns(clocked, "pool"));
            Predicate<Map<String, Object>> listens =
                    row -> row.get("thread").toString().contains("_monitor");
            assertThat(sumNs("waitedFor", at("spin").and(listens))
                            + sumNs("hostTime", at("spin").and(listens)))
                    .isGreaterThan(0.5 * ns(clocked, "log"));

            // The program's own scopes, one inside another that bears the name of an example's.
            for (String scope : List.of("llm_inference", "render")) {
                double judgedNs = rows("scopes")
                        .filter(row -> scope.equals(row.get("name")) && Boolean.TRUE.equals(row.get("own")))
                        .mapToDouble(row -> ns(row, "judgedNs"))
                        .sum();
                assertThat(judgedNs / ns(clocked, scope)).as(scope).isBetween(0.95, 1.05);
                assertThat(result.stderr()).containsPattern("(?s)Own scopes.*\n +[0-9.]+ ms  " + scope);
            }
        });
    }

    private Map<String, Object> read(String file) throws IOException {
        try (InputStream in = Files.newInputStream(folder.resolve(file))) {
            return Json.object(Json.parse(in));
        }
    }

    private Stream<Map<String, Object>> rows(String table) {
        return Json.list(report.get(table)).stream().map(Json::object);
    }

    private double sumNs(String table, Predicate<Map<String, Object>> wanted) {
        return rows(table).filter(wanted).mapToDouble(row -> ns(row, "ns")).sum();
    }

    private static double ns(Map<String, Object> row, String member) {
        return ((Number) row.get(member)).doubleValue();
    }

    private static Predicate<Map<String, Object>> at(String function) {
        return row -> String.valueOf(row.get("where")).matches("waits\\.py:\\d+ (\\w+\\.)?" + function);
    }

    private static Predicate<Map<String, Object>> caused(String cause) {
        return row -> row.get("cause").toString().matches(cause);
    }
}

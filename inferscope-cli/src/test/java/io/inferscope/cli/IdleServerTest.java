package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code inferscope attach} to servers of which nobody asks anything: having nothing to do is no loss. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class IdleServerTest {
    /** Each has used most CPU time in another kind of thread: the acceptor, a pool's worker, an event loop. */
    private static final String SERVERS = """
            import asyncio, concurrent.futures, http.server, socket, sys, time
            def busy():
                end = time.thread_time() + 0.1
                while time.thread_time() < end: pass
            def ready(): print('ready', flush=True)
            def threads():
                busy(); ready()
                http.server.ThreadingHTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler).serve_forever()
            def pool():
                listener, pool = socket.create_server(('127.0.0.1', 0)), concurrent.futures.ThreadPoolExecutor(4)
                [job.result() for job in [pool.submit(busy) for _ in range(4)]]
                ready()
                while True: pool.submit(listener.accept()[0].close)
            async def serve():
                server = await asyncio.start_server(lambda reader, writer: None, '127.0.0.1', 0)
                await server.start_serving()
                busy(); ready()
                while True: await asyncio.sleep(0.1)
            def loop(): asyncio.run(serve())
            globals()[sys.argv[1]]()
            """;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"threads", "pool", "loop"})
    void havingNothingToDoIsNoGain(String kind) throws Exception {
        Path script = Files.writeString(folder.resolve("server.py"), SERVERS);
        Process server = new ProcessBuilder("python3", script.toString(), kind)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(output.readLine()).isEqualTo("ready");
            Result result = new InferScopeProcess(folder)
                    .run("attach", Long.toString(server.pid()), "--duration", "5s", "-o", "report.json");
            assertThat(result.exitCode()).as(result.stderr()).isZero();
            assertThat(result.out())
                    .contains("Idle: the program has nothing to do for")
                    .doesNotContain("gain:", "Worth:");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }
}

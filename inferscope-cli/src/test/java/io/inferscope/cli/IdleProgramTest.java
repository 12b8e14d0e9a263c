package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code inferscope attach} to programs in several languages that have little to do: to wait for work is no loss. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class IdleProgramTest {
    private static final String NODE = """
            const spin = until => { while (process.cpuUsage().user < until); };
            spin(process.cpuUsage().user + 50000);
            if (process.argv[2] == 'serve') require('http').createServer(() => {}).listen(0, '127.0.0.1', () => console.log('ready'));
            else { setInterval(() => spin(process.cpuUsage().user + 5000), 250); console.log('ready'); }
            """;

    /** A pool without a socket: idle, with a job now and then, or with a caller that waits for its jobs. */
    private static final String JAVA = """
            import java.net.*;
            import java.util.concurrent.*;
            public class Pool {
                static volatile double sink;
                static Object work() { for (int i = 0; i < 3_000_000; i++) sink += i % 7; return null; }
                public static void main(String[] kind) throws Exception {
                    if (kind[0].equals("serve")) {
                        var server = com.sun.net.httpserver.HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
                        server.setExecutor(Executors.newFixedThreadPool(2));
                        server.start();
                    }
                    var pool = Executors.newScheduledThreadPool(2);
                    for (int i = 0; i < 20; i++) pool.submit(Pool::work).get();
                    if (kind[0].equals("timer")) pool.scheduleAtFixedRate(Pool::work, 0, 400, TimeUnit.MILLISECONDS);
                    System.out.println("ready");
                    while (kind[0].equals("awaited")) pool.submit(Pool::work).get();
                    new CountDownLatch(1).await();
                }
            }
            """;

    private static final String C = """
            #include <pthread.h>
            #include <stdio.h>
            #include <unistd.h>
            static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
            static pthread_cond_t given = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
            static int jobs, ready;
            static volatile double sink;
            static void *work(void *unused) {
                for (;;) {
                    pthread_mutex_lock(&lock);
                    while (!jobs) pthread_cond_wait(&given, &lock);
                    jobs--;
                    pthread_mutex_unlock(&lock);
                    for (int i = 0; i < 10000000; i++) sink += i % 7;
                    pthread_mutex_lock(&lock);
                    ready++;
                    pthread_cond_signal(&done);
                    pthread_mutex_unlock(&lock);
                }
                return unused;
            }
            static void give(int awaited) {
                pthread_mutex_lock(&lock);
                jobs++;
                pthread_cond_signal(&given);
                while (awaited && !ready) pthread_cond_wait(&done, &lock);
                ready = 0;
                pthread_mutex_unlock(&lock);
            }
            int main(int count, char **kind) {
                pthread_t threads[2];
                for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
                give(1);
                puts("ready");
                fflush(stdout);
                while (kind[1][0] == 'a') give(1);
                while (kind[1][0] == 't') { usleep(700000); give(0); }
                return pthread_join(threads[0], 0);
            }
            """;

    private static final String GO = """
            package main
            func main() {
                jobs, done, sum := make(chan int), make(chan int), 0
                go func() { for n := range jobs { for i := 0; i < n; i++ { sum += i % 7 }; done <- sum } }()
                for i := 0; i < 20; i++ { jobs <- 10000000; <-done }
                println("ready")
                go func() { for { <-done } }()
                tick(jobs)
            }
            """;

    private static final String GO_TICKS = """
            package main
            import "time"
            func tick(jobs chan int) { for range time.Tick(500 * time.Millisecond) { jobs <- 10000000 } }
            """;

    private static final String PYTHON = """
            import queue, sys, threading, time
            jobs = queue.Queue()
            def work():
                while True:
                    end = time.thread_time() + jobs.get()
                    while time.thread_time() < end: pass
                    jobs.task_done()
            for _ in range(2): threading.Thread(target=work, daemon=True).start()
            jobs.put(0.2); jobs.join()
            print('ready', flush=True)
            while sys.argv[1] == 'timer': time.sleep(0.5); jobs.put(0.01)
            threading.Event().wait()
            """;

    @TempDir
    Path folder;

    /** Where a loop waits, or a pool's stack shows that it has no task, it is known that there is nothing to do. */
    @ParameterizedTest
    @CsvSource({"node, serve", "java, timer"})
    void havingNothingToDoIsSaidAndNoGain(String language, String kind) throws Exception {
        QuietMachine.judge(attempt -> assertThat(attach(language, kind))
                .contains("Idle: the program has nothing to do for")
                .doesNotContain("gain:", "critical path")
                .doesNotContainPattern("Worth: +[0-9]"));
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"node, timer", "java, serve"})
    void othersHaveNothingToDoEither(String language, String kind) throws Exception {
        havingNothingToDoIsSaidAndNoGain(language, kind);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"c, idle", "python, timer"})
    void othersThatRestLoseNoTimeEither(String language, String kind) throws Exception {
        aProgramThatRestsIsNotSaidToLoseTime(language, kind);
    }

    @Tag("slow")
    @Test
    void goroutinesThatWaitForAChannelHaveNothingToDo() throws Exception {
        havingNothingToDoIsSaidAndNoGain("go", "timer");
    }

    /** No record tells a pool without work from a program that hangs, or one that sleeps too long: neither is claimed. */
    @ParameterizedTest
    @CsvSource({"java, idle", "c, timer", "python, idle"})
    void aProgramThatRestsIsNotSaidToLoseTime(String language, String kind) throws Exception {
        QuietMachine.judge(attempt -> assertThat(attach(language, kind))
                .contains("it has no work, or")
                .doesNotContain("Critical:", "gain:", "critical path")
                .doesNotContainPattern("Worth: +[0-9]"));
    }

    @ParameterizedTest
    @CsvSource({"java, awaited", "c, awaited"})
    void aPoolThatIsWaitedForIsNotIdle(String language, String kind) throws Exception {
        QuietMachine.judge(attempt ->
                assertThat(attach(language, kind)).doesNotContain("nothing to do for", "it has no work, or"));
    }

    private String attach(String language, String kind) throws Exception {
        Process program = new ProcessBuilder(words(language, kind))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(output.readLine()).isEqualTo("ready");
            Result result = new InferScopeProcess(folder)
                    .run("attach", Long.toString(program.pid()), "--duration", "3s", "-o", "report.json");
            assertThat(result.exitCode()).as(result.stderr()).isZero();
            return result.out();
        } finally {
            program.destroyForcibly().waitFor();
        }
    }

    /** Returns the words that start a program, which is built first where it has to be. */
    private List<String> words(String language, String kind) throws Exception {
        String java = System.getProperty("java.home") + "/bin/java";
        List<String> words = new ArrayList<>();
        switch (language) {
            case "node" -> words.addAll(List.of(needed("node"), source("pool.js", NODE)));
            case "java" -> {
                build(java + "c", source("Pool.java", JAVA));
                words.addAll(List.of(java, "-cp", ".", "Pool"));
            }
            case "c" -> {
                build(needed("cc"), "-pthread", "-o", "pool", source("pool.c", C));
                words.add("./pool");
            }
            case "go" -> {
                build(needed("go"), "build", "-o", "pool", source("pool.go", GO), source("ticks.go", GO_TICKS));
                words.add("./pool");
            }
            default -> words.addAll(List.of("python3", source("pool.py", PYTHON)));
        }
        words.add(kind);
        return words;
    }

    private static String needed(String program) throws Exception {
        assumeTrue(
                new ProcessBuilder("sh", "-c", "command -v " + program).start().waitFor() == 0,
                "no " + program + " here");
        return program;
    }

    private String source(String name, String text) throws Exception {
        Files.writeString(folder.resolve(name), text);
        return name;
    }

    private void build(String... words) throws Exception {
        Process compiler = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(said).isZero();
    }
}

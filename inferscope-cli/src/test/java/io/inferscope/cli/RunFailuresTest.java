package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.cli.InferScopeProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is left when something dies or runs out: with real processes, real kills and a disk that is really full. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class RunFailuresTest {
    @TempDir
    Path folder;

    private InferScopeProcess inferscope;

    @BeforeEach
    void prepare() {
        inferscope = new InferScopeProcess(folder);
    }

    @Test
    void killedProgramIsReportedUpToItsEnd() throws Exception {
        script("infer.py", """
                import os, signal, time
                from inferscope import scope
                with scope('before_the_end'):
                    time.sleep(0.6)
                os.kill(os.getpid(), signal.SIGKILL)
                """);
        Result result = inferscope.run("run", "--report", "r.json", "python3", "infer.py");
        assertThat(result.exitCode()).isEqualTo(128 + 9);
        assertThat(folder.resolve("r.json")).content().contains("before_the_end", "infer.py");
    }

    @Test
    void aReportThatTakesTooLongIsGivenUpAndCanBeMadeLater() throws Exception {
        script("infer.py", "import sys, time\ntime.sleep(0.3)\nsys.exit(7)\n");
        Result result = inferscope.run("run", "--report-within", "0s", "-o", "r.json", "python3", "infer.py");
        assertThat(result.exitCode()).isEqualTo(7);
        assertThat(result.stderr())
                .contains("no report within 0 ns (--report-within sets how long it may take)")
                .contains("inferscope recover " + folder.resolve("outputs/spool_infer"));
        assertThat(folder.resolve("r.json")).doesNotExist();
        Result recovered = inferscope.run("recover", "outputs/spool_infer", "-o", "r.json");
        assertThat(recovered.exitCode()).isZero();
        assertThat(folder.resolve("r.json")).content().contains("ended with exit code 7");
    }

    @Test
    void killedWorkerLeavesTheRestAndItsOwnRecord() throws Exception {
        script("infer.py", """
                import multiprocessing, os, signal, time
                from inferscope import scope

                def work(ready):
                    with scope('in_the_worker'):
                        time.sleep(0.3)
                    ready.set()
                    time.sleep(1000)

                if __name__ == '__main__':
                    ready = multiprocessing.get_context('spawn').Event()
                    worker = multiprocessing.get_context('spawn').Process(target=work, args=(ready,))
                    worker.start()
                    ready.wait()
                    os.kill(worker.pid, signal.SIGKILL)
                    worker.join()
                    with scope('after_the_worker'):
                        time.sleep(0.3)
                    print('exit code of the worker', worker.exitcode)
                """);
        Result result = inferscope.run("run", "--report", "r.json", "python3", "infer.py");
        assertThat(result.out()).isEqualTo("exit code of the worker -9\n");
        assertThat(result.exitCode()).isZero();
        assertThat(folder.resolve("r.json")).content().contains("in_the_worker", "after_the_worker");
    }

    /** The spools lie beside the trace; the disk that holds both is 256 KB large, the program's own files lie elsewhere. */
    @Test
    void fullDiskStopsTheRecordNotTheProgram() throws Exception {
        assumeTrue(mayMount(), "needs root and mount namespaces");
        Files.createDirectory(folder.resolve("small"));
        script("infer.py", """
                import threading, time
                from inferscope import scope
                end = time.monotonic() + 3
                def work():
                    rounds = 0
                    while rounds < 200 or time.monotonic() < end:
                        for _ in range(20):
                            with scope('step'): pass
                        rounds += 1
                        time.sleep(0.001)
                threads = [threading.Thread(target=work) for _ in range(8)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                print('finished', len(threads))
                """);
        String onSmallDisk = "mount -t tmpfs -o size=256k none small || exit 77; \"$0\" \"$@\"; code=$?; "
                + "mkdir kept; cp -r small/spool_infer kept/; exit $code";
        InferScopeProcess limited = new InferScopeProcess(folder, "unshare", "-m", "sh", "-c", onSmallDisk);
        Result result = limited.run("run", "--trace", "small/t.json.gz", "--report", "r.json", "python3", "infer.py");
        assumeTrue(result.exitCode() != 77, "no tmpfs here");
        assertThat(result.out()).as(result.stderr()).isEqualTo("finished 8\n");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        boolean kept =
                result.stderr().contains("inferscope recover"); // Else the trace of what was recorded found room.
        if (kept) {
            Result recovered = inferscope.run("recover", "kept/spool_infer", "--trace", "t.json.gz", "-o", "r.json");
            assertThat(recovered.exitCode()).as(recovered.stderr()).isZero();
        }
        assertThat(folder.resolve("r.json")).as(result.stderr()).content().contains("step", "dropped by its recorder");
    }

    /** As somebody would who can write to the folder above: what is behind the link is neither read nor deleted. */
    @Test
    void aLinkInThePlaceOfTheSpoolsIsNotFollowed() throws Exception {
        Files.createDirectory(folder.resolve("precious"));
        Files.writeString(folder.resolve("precious/kept"), "kept");
        script("infer.py", """
                import os
                os.rename('outputs/spool_infer', 'moved')
                os.symlink('../precious', 'outputs/spool_infer')
                print('done')
                """);
        Result result = inferscope.run("run", "python3", "infer.py");
        assertThat(result.out()).isEqualTo("done\n");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stderr()).contains("the spool folder was replaced");
        assertThat(folder.resolve("precious")).isDirectoryContaining("glob:**kept");
        assertThat(folder.resolve("outputs/report_infer.md")).doesNotExist();
    }

    private static boolean mayMount() {
        return "root".equals(System.getProperty("user.name")) && Files.isExecutable(Path.of("/usr/bin/unshare"));
    }

    private void script(String name, String content) throws IOException {
        Files.writeString(folder.resolve(name), content);
    }
}

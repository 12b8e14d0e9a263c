package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.host.NativeSamples;
import io.inferscope.collectors.host.ObservedThread;
import io.inferscope.collectors.host.ObservedThreads;
import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.ProcessMemory;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.fixture.CoreFormats;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A real interpreter whose memory cannot be read, or not be understood, for a while; time is the test's. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class FailingMemoryTest {
    private static final long MS = 1_000_000;

    /** Nothing else that a round reads is as long as the memory that holds the frames of a thread. */
    private static final int FRAMES_BYTES = 512;

    @TempDir
    Path folder;

    private final Memory memory = new Memory();
    private long nowNs = 1_000 * MS;
    private Process program;
    private SpoolWriter writer;
    private PythonSampler sampler;

    private static final class Memory implements ProcessMemory {
        private final LinuxMemory real = new LinuxMemory();
        private int error;
        private @Nullable RuntimeException thrown;
        private int reads;

        /** In how many of the next reads of a stack its frames are overwritten, as by a program that calls meanwhile. */
        private int torn;

        @Override
        public int read(int pid, MemoryBatch batch) {
            reads++;
            if (thrown != null) {
                throw thrown;
            }
            int result = error != 0 ? error : real.read(pid, batch);
            for (int range = 0; range < batch.count() && torn > 0; range++) {
                if (batch.length(range) >= FRAMES_BYTES) {
                    torn--;
                    for (int i = 0; i < batch.length(range); i++) {
                        batch.data().put(batch.offset(range) + i, (byte) -1);
                    }
                }
            }
            return result;
        }
    }

    private static final class NoThreads implements ObservedThreads {
        @Override
        public @Nullable ObservedThread thread(int tid) {
            return null;
        }

        @Override
        public int threadCount() {
            return 1;
        }

        @Override
        public boolean hasWorked() {
            return true;
        }
    }

    @BeforeEach
    void startAnInterpreter() throws Exception {
        program = new ProcessBuilder("python3", "-c", "print('up', flush=True); input()").start();
        assertThat(program.inputReader().readLine()).isEqualTo("up");
        LinuxSystem real = new LinuxSystem();
        OperatingSystem system = (OperatingSystem) Proxy.newProxyInstance(
                OperatingSystem.class.getClassLoader(),
                new Class<?>[] {OperatingSystem.class},
                (proxy, method, arguments) ->
                        method.getName().equals("monotonicNs") ? nowNs : method.invoke(real, arguments));
        writer = SpoolWriter.open(folder, "host", 0, 1 << 24);
        sampler = new PythonSampler(system, memory, writer);
    }

    @AfterEach
    void end() throws Exception {
        program.destroyForcibly();
        writer.close();
    }

    /** Returns whether a round reads the process. */
    private boolean reads() {
        int before = memory.reads;
        sampler.sample((int) program.pid(), new NoThreads(), new NativeSamples());
        return memory.reads > before;
    }

    @Test
    void whatCannotBeUnderstoodEndsNothingAndIsTriedAgain() {
        assertThat(reads()).isTrue();
        memory.thrown = new IndexOutOfBoundsException("no frame is that long");
        assertThat(reads()).isTrue();
        memory.thrown = null;
        nowNs += 11 * MS;
        assertThat(reads()).isTrue();
    }

    @Test
    void anInterpreterThatReplacedItselfIsLookedForAtOnceHoweverLongTheFirstOneTook() {
        memory.error = OperatingSystem.NOT_PERMITTED;
        for (int i = 0; i < 6; i++) {
            reads();
            nowNs += 700 * MS;
        }
        memory.error = 0;
        assertThat(reads()).isTrue();
        memory.error = OperatingSystem.NO_SUCH_PROCESS;
        assertThat(reads()).as("the new program is not up yet").isTrue();
        memory.error = 0;
        nowNs += 11 * MS;
        assertThat(reads()).isTrue();
    }

    @Test
    void aStackThatMovesDuringSomeReadsIsReadUntilItHoldsStill() throws Exception {
        reads();
        memory.torn = 5;
        nowNs += 11 * MS;
        reads();
        assertThat(memory.torn).isZero();
        assertThat(lost()).isZero();
    }

    @Test
    void aStackThatMovesDuringEveryReadIsLost() throws Exception {
        reads();
        memory.torn = 1000;
        nowNs += 11 * MS;
        reads();
        assertThat(lost()).isOne();
    }

    /** Returns how many samples are missing by the sampler's own count. */
    private long lost() throws Exception {
        sampler.finish();
        writer.close();
        return CoreFormats.load(folder).info().coverage().stream()
                .filter(coverage -> coverage.source().equals("python-stacks"))
                .findFirst()
                .orElseThrow()
                .missing();
    }
}

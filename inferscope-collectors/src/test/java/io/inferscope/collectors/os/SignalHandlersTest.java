package io.inferscope.collectors.os;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import io.inferscope.timeline.fixture.Until;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@Tag("process")
class SignalHandlersTest {
    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final int TGKILL = ARM ? 131 : 234; // As in Alarm.
    private static final int USR1 = 10;
    private static final int PWR = 30;
    private static final int SA_FLAGS = 8 + 128; // In struct sigaction, behind the handler and the mask.
    private static final int SA_RESTART = 0x1000_0000;

    @Test
    void aSignalThatInterruptsTheReaderDoesNotEndIt() throws Exception {
        Path library = Path.of("../native/linux-" + (ARM ? "aarch64" : "x86-64") + "/libinferscope-relay.so");
        BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
        assertThat(SignalHandlers.listen(library, new int[] {PWR}, (signal, byKernel) -> received.add(signal)))
                .isTrue();
        int pid = (int) ProcessHandle.current().pid();
        Memory before = SignalHandlers.action(USR1);
        SignalHandlers.handle("USR1", signal -> {});
        Memory interrupts = SignalHandlers.action(USR1);
        interrupts.setInt(SA_FLAGS, interrupts.getInt(SA_FLAGS) & ~SA_RESTART);
        LibC.sigaction(USR1, interrupts, Pointer.NULL);
        try {
            Path reader = reader();
            Until.holds(() -> Files.readString(reader.resolve("stat")).contains(") S "));
            int tid = Integer.parseInt(reader.getFileName().toString());
            assertThat(LibC.syscall(TGKILL, pid, tid, USR1, 0, 0)).isZero();

            LibC.kill(pid, PWR);

            assertThat(received.poll(1, TimeUnit.MINUTES)).isEqualTo(PWR);
        } finally {
            LibC.sigaction(USR1, before, Pointer.NULL);
        }
    }

    /** Returns the thread that reads the signals; it takes its name after it has started. */
    private static Path reader() throws Exception {
        AtomicReference<Path> reader = new AtomicReference<>();
        Until.holds(() -> {
            try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
                for (Path thread : threads.toList()) {
                    if (Files.readString(thread.resolve("comm")).strip().equals("signals")) {
                        reader.set(thread);
                    }
                }
            } catch (NoSuchFileException ended) {
                // A thread ended meanwhile: look again.
            }
            return reader.get() != null;
        });
        return reader.get();
    }
}

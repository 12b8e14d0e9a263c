package io.inferscope.collectors.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What the scheduler says of a thread, in {@code /proc/thread-self/sched}. */
@EnabledOnOs(OS.LINUX)
class OwnThreadTest {
    private static final Path SCHED = Path.of("/proc/thread-self/sched");
    private static final String TURN_NS = "se.slice";
    private static final String PRIORITY = "prio";

    @Test
    void aThreadWithShortTurnsKeepsItsPriority() throws Exception {
        assumeTrue(Files.isReadable(SCHED), "this kernel does not show how it schedules threads");
        assumeTrue(hasTurns(), "threads have turns of their own length from Linux 6.12 on");

        // On a thread of its own: the change would stay.
        Map<String, String> before = CompletableFuture.supplyAsync(OwnThreadTest::scheduled, OwnThreadTest::start)
                .get();
        Map<String, String> after = CompletableFuture.supplyAsync(
                        () -> {
                            OwnThread.runSoonAfterWaking();
                            return scheduled();
                        },
                        OwnThreadTest::start)
                .get();

        assertThat(after.get(TURN_NS)).isEqualTo("100000").isNotEqualTo(before.get(TURN_NS));
        assertThat(after.get(PRIORITY)).isEqualTo(before.get(PRIORITY));
    }

    private static void start(Runnable work) {
        new Thread(work).start();
    }

    private static boolean hasTurns() {
        String[] version = System.getProperty("os.version").split("\\D+", -1);
        int major = Integer.parseInt(version[0]);
        return scheduled().containsKey(TURN_NS) && (major > 6 || (major == 6 && Integer.parseInt(version[1]) >= 12));
    }

    private static Map<String, String> scheduled() {
        try {
            Map<String, String> found = new HashMap<>();
            for (String line : Files.readAllLines(SCHED)) {
                int colon = line.indexOf(':');
                if (colon > 0) {
                    found.put(
                            line.substring(0, colon).strip(),
                            line.substring(colon + 1).strip());
                }
            }
            return found;
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}

package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A thread that waits for the GIL is told from one that waits for anything else, and who holds it is named. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class GilWaitsTest {
    /** The hog holds the GIL through calls into C that never let go of it; the victim clocks what it gets done beside. */
    private static final String PROGRAM = """
            import sys, threading, time
            sys.stdin.readline()
            work, done = list(range(1_500_000)), threading.Event()
            def hog():
                while time.thread_time() < 0.8: sum(work)
                done.set()
            def victim():
                while not done.is_set(): pass
            waiting = threading.Thread(target=threading.Event().wait, daemon=True)
            threads = dict(hog=threading.Thread(target=hog), victim=threading.Thread(target=victim), waiting=waiting)
            for thread in threads.values(): thread.start()
            for name, thread in threads.items(): print(name, thread.native_id, flush=True)
            threads['hog'].join()
            threads['victim'].join()
            print('ready 0', flush=True)
            sys.stdin.read()
            """;

    @TempDir
    Path folder;

    /** A hog that other load keeps from its CPU while it holds the GIL is seen less often. */
    @Test
    void victimOfAHogWaitsForTheGilThatTheHogHolds() throws Exception {
        QuietMachine.judge(attempt -> {
            Map<String, Integer> ids = new HashMap<>();
            Timeline timeline = sample(folder.resolve("attempt" + attempt), ids);
            Map<WaitReason, Long> blockedMs = new EnumMap<>(WaitReason.class);
            for (WaitReason reason : WaitReason.values()) {
                blockedMs.put(reason, blockedNs(timeline, ids.get("victim"), reason, 0) / 1_000_000);
            }
            long byHogNs = blockedNs(timeline, ids.get("victim"), WaitReason.GIL, ids.get("hog"));
            long allMs = blockedMs.values().stream().mapToLong(ms -> ms).sum();
            assertThat(blockedNs(timeline, ids.get("waiting"), WaitReason.GIL, 0))
                    .as("an event is no GIL")
                    .isLessThan(blockedNs(timeline, ids.get("waiting"), WaitReason.FUTEX, 0) / 10);
            assertThat(byHogNs / 1e6 / allMs)
                    .as("share of the hog in the ms that its victim was blocked: %s", blockedMs)
                    .isGreaterThan(0.5);
        });
    }

    private static Timeline sample(Path folder, Map<String, Integer> ids) throws Exception {
        Process program = new ProcessBuilder("python3", "-c", PROGRAM)
                .redirectErrorStream(true)
                .start();
        try {
            return StackSamples.of(program, folder, 100, () -> {
                        program.getOutputStream().write('\n');
                        program.getOutputStream().flush();
                        BufferedReader lines = new BufferedReader(
                                new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
                        while (!ids.containsKey("ready")) {
                            String[] words = String.valueOf(lines.readLine()).split(" ", 2);
                            assertThat(words)
                                    .as("the program ended early: %s", ids)
                                    .hasSize(2);
                            ids.put(words[0], Integer.parseInt(words[1]));
                        }
                    })
                    .timeline();
        } finally {
            program.destroyForcibly();
        }
    }

    /** Returns how long a thread was blocked for a reason, by one holder, or by any where {@code holder} is 0. */
    private static long blockedNs(Timeline timeline, int tid, WaitReason reason, int holder) {
        long sum = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.THREAD_STATE
                    && timeline.tracks().get(timeline.track(row)).key().equals(Integer.toString(tid))
                    && timeline.attribute(row, Attribute.WAIT_REASON) == reason.ordinal()
                    && (holder == 0 || timeline.attribute(row, Attribute.OTHER_THREAD) == holder)) {
                sum += timeline.durationNs(row)
                        - timeline.attribute(row, Attribute.ON_CPU_NS)
                        - timeline.attribute(row, Attribute.RUNNABLE_NS);
            }
        }
        return sum;
    }
}

package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A thread that waits for the GIL is told from one that waits for anything else, and who holds it is named. */
@EnabledOnOs(OS.LINUX)
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

    @Test
    void victimOfAHogWaitsForTheGilThatTheHogHolds() throws Exception {
        Process program = new ProcessBuilder("python3", "-c", PROGRAM)
                .redirectErrorStream(true)
                .start();
        Map<String, Integer> ids = new HashMap<>();
        Timeline timeline;
        try {
            timeline = StackSamples.of(program, folder, 100, () -> {
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
        long victimNs = 0;
        for (WaitReason reason : WaitReason.values()) {
            victimNs += blockedNs(timeline, ids.get("victim"), reason, 0);
        }
        long byHogNs = blockedNs(timeline, ids.get("victim"), WaitReason.GIL, ids.get("hog"));
        assertThat((double) byHogNs / victimNs)
                .as("share of the hog in all %d ms that its victim was blocked", victimNs / 1_000_000)
                .isGreaterThan(0.5);
        assertThat(blockedNs(timeline, ids.get("waiting"), WaitReason.GIL, 0))
                .as("an event is no GIL")
                .isLessThan(blockedNs(timeline, ids.get("waiting"), WaitReason.FUTEX, 0) / 10);
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

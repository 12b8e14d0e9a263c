package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds for whatever records device work inside a process, over the stand-ins: the CUDA agent, and a JVM that records itself. */
public abstract class DeviceRecorderContract {
    private static final long BOUND_NS = 250_000_000L;
    private static final int LATE = 2;

    @TempDir
    Path killed;

    /** Runs a program to its end with these steps of native/stubs/program.c, recorded; returns what every program run so far left. */
    protected abstract Timeline record(Map<String, String> environment, String... steps) throws Exception;

    /** Returns how to start a program that is recorded into a folder, takes the step and prints nothing besides. */
    protected abstract ProcessBuilder start(Path folder, String step);

    /** Returns the step that makes calls without end, at most as fast as the recorder stores them. */
    protected abstract String busy();

    /** Returns how often a program is to be killed. */
    protected abstract int kills();

    protected static int[] rows(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind)
                .toArray();
    }

    protected static long count(Timeline timeline, RowKind kind) {
        return rows(timeline, kind).length;
    }

    /** Returns whether a row says that the recorder held the program up. */
    protected static boolean isRecorders(Timeline timeline, int row) {
        return RangeActivity.of(timeline.attribute(row, Attribute.ACTIVITY)) == RangeActivity.PROFILER;
    }

    @Test
    void buffersThatComeLateLoseNothingAtANormalEnd() throws Exception {
        Timeline timeline = record(Map.of("STUB_KEEP", "3"), "launch:1000", "sleep:300", "launch:1000", "sleep:300");
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(2000);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
    }

    @Test
    void buffersThatNeverComeAreSaidToBeMissing() throws Exception {
        QuietMachine.judge(attempt -> {
            Timeline timeline = record(Map.of("STUB_NEVER", "1"), "launch:1000", "sleep:3000");
            assertThat(count(timeline, RowKind.KERNEL)).isZero();
            assertThat(timeline.info().coverage())
                    .anySatisfy(said -> assertThat(said.why())
                            .contains("device work is not known", "no records came although the program went on"));
            assertThat(Long.parseLong(timeline.properties().get("inferscope.device_unrecorded_ns")))
                    .isGreaterThan(1_000_000_000L);
        });
    }

    @Test
    void aRecordThatReachesBeyondItsBufferIsCountedAndNotRead() throws Exception {
        Timeline timeline = record(Map.of("STUB_CUT", "1"), "launch:100");
        assertThat(count(timeline, RowKind.KERNEL)).isBetween(98L, 100L);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isPositive();
    }

    @Test
    protected void twoProcessesThatSeeTwoDevicesByOneNumberUseTwo() throws Exception {
        Timeline timeline = null;
        for (String devices : List.of("5", "6", "6,5", "7.1", "7.2")) {
            timeline = record(Map.of("STUB_DEVICES", devices), "launch:2", "device:1", "launch:1");
        }
        Map<String, Integer> kernels = new TreeMap<>();
        for (int kernel : rows(timeline, RowKind.KERNEL)) {
            int stream = timeline.track(kernel);
            String device = timeline.tracks()
                    .get(timeline.tracks().get(stream).parent())
                    .key();
            kernels.merge(device, 1, Integer::sum);
        }
        // 6 is 0 and 5 is 1, as the process says that sees both; then the instances. What was done on a device 1 that
        // is not described is the only 1.
        assertThat(kernels).isEqualTo(Map.of("0", 4, "1", 3 + 4, "2", 2, "3", 2));
        assertThat(timeline.properties())
                .containsEntry("device.2.name", "Stand-in GPU (MIG, GPU instance 1)")
                .containsEntry("device.3.name", "Stand-in GPU (MIG, GPU instance 2)");
    }

    @Test
    void aKillLosesAtMostTheLastQuarterOfASecond() throws Exception {
        QuietMachine.judge(attempt -> checkKills("attempt-" + attempt + "-"));
    }

    private void checkKills(String name) throws Exception {
        Random random = new Random(7);
        long[] lostNs = new long[kills()];
        for (int i = 0; i < lostNs.length; i++) {
            Path folder = Files.createDirectory(killed.resolve(name + i));
            lostNs[i] = lostAtKill(folder, i % 2 == 0 ? busy() : "slowly", 50 + random.nextInt(700));
        }
        Arrays.sort(lostNs);
        System.out.printf(
                "%s: kill -9 at %d random moments: lost the last %.0f ms at the median, %.0f ms at most%n",
                getClass().getSimpleName(),
                lostNs.length,
                lostNs[lostNs.length / 2] / 1e6,
                lostNs[lostNs.length - 1] / 1e6);
        // Two may be later: the recorder's thread waits for a processor too.
        assertThat(lostNs[lostNs.length - 1 - LATE]).isLessThanOrEqualTo(BOUND_NS);
    }

    /** Returns the time from the last recorded call to the last one that the program is known to have made; as long as it ran when none is. */
    private long lostAtKill(Path folder, String step, int afterMs) throws Exception {
        Path out = folder.resolve("out");
        Process program = start(folder, step)
                .redirectErrorStream(false)
                .redirectOutput(out.toFile())
                .start();
        while (program.isAlive() && Files.size(out) == 0) {
            Thread.sleep(1);
        }
        Thread.sleep(afterMs);
        program.destroyForcibly().waitFor();
        List<String> lines = Files.readAllLines(out);
        assertThat(lines).isNotEmpty();
        long lastNs = Long.parseLong(lines.get(lines.size() - 1));
        Timeline timeline = CoreFormats.load(folder);
        assertThat(timeline.importStats().count(Reason.UNFINISHED_RECORD)).isLessThanOrEqualTo(1);
        assertThat(timeline.importStats().count(Effect.DROPPED))
                .isEqualTo(timeline.importStats().count(Reason.UNFINISHED_RECORD));
        long recordedNs = IntStream.of(rows(timeline, RowKind.RUNTIME_CALL))
                .mapToLong(timeline::endNs)
                .max()
                .orElse(Long.parseLong(lines.get(0)) - timeline.originUnixNs());
        return Math.max(0, lastNs - timeline.originUnixNs() - recordedNs);
    }
}

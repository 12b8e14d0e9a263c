package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An observer that may not see everything: an ordinary user, and a program of root's. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class RefusedTest {
    @TempDir
    Path folder;

    private Process target;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(OtherUser.isPossible(), "needs root and setpriv");
        assumeTrue(linux() >= 5.08, "a second /proc has options of its own from Linux 5.8 on");
        target = new ProcessBuilder("sh", "-c", "echo; while :; do sleep 0.01; done").start();
        target.getInputStream().read();
    }

    @AfterEach
    void end() {
        if (target != null) {
            target.descendants().forEach(ProcessHandle::destroyForcibly);
            target.destroyForcibly();
        }
    }

    @Test
    void timeIsRecordedAndWhatIsRefusedIsSaid() throws Exception {
        QuietMachine.judge(folder, attempt -> {
            Timeline timeline = sample(attempt, List.of());
            assertThat(host(timeline).why()).contains("threads waited for could not be read (no ptrace permission)");
            long recordedNs = IntStream.range(0, timeline.rowCount())
                    .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE)
                    .mapToLong(timeline::durationNs)
                    .sum();
            assertThat(recordedNs).as("schedstat is everybody's to read").isGreaterThan(300_000_000L);
            assertThat(IntStream.range(0, timeline.rowCount())
                            .filter(row -> timeline.kind(row) == RowKind.THREAD_STATE)
                            .mapToLong(row -> timeline.attribute(row, Attribute.OTHER_THREAD)))
                    .as("nobody's lock is named without a look at it")
                    .allMatch(holder -> holder == Attribute.ABSENT);
        });
    }

    @Test
    void processThatTheSystemHidesIsNotObservedAndNothingBreaks() throws Exception {
        // A /proc of its own (Linux 5.8): a remount would change the one that everybody sees.
        Timeline timeline = sample(
                folder,
                List.of(
                        "unshare",
                        "-m",
                        "sh",
                        "-c",
                        "mount -t proc -o hidepid=2 proc /proc || exit 77; exec \"$0\" \"$@\""));
        assertThat(host(timeline).why()).doesNotContain("stopped early");
        assertThat(IntStream.range(0, timeline.rowCount()).filter(row -> timeline.kind(row) == RowKind.THREAD_STATE))
                .isEmpty();
    }

    private static double linux() {
        String[] version = System.getProperty("os.version", "0.0").split("[.-]", 3);
        return Integer.parseInt(version[0]) + Integer.parseInt(version[1]) / 100.0;
    }

    private Timeline sample(Path folder, List<String> before) throws Exception {
        Path spools = OtherUser.folder(folder);
        ProcessBuilder builder =
                OtherUser.java(spools, SamplerProgram.class, spools.toString(), "" + target.pid(), "800");
        List<String> words = new ArrayList<>(before);
        words.addAll(builder.command());
        Process sampler = builder.command(words).start();
        String output = new String(sampler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = sampler.waitFor();
        assumeTrue(code != 77, "this system cannot hide processes in a namespace");
        assertThat(code).as(output).isZero();
        return CoreFormats.load(spools);
    }

    private static Coverage host(Timeline timeline) {
        return timeline.info().coverage().stream()
                .filter(entry -> entry.source().equals("host"))
                .findFirst()
                .orElseThrow();
    }
}

package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.spool.StubCuda;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real CUDA program, FFmpeg's filters with their own kernels, on a simulated device (docs/adr/0013): its host path is real, the agent's records are of it. */
@Tag("process")
@Tag("native")
class RealCudaProgramTest {
    private static final int FRAMES = 20;

    @TempDir
    Path spools;

    @BeforeAll
    static void build() throws Exception {
        boolean there = filters().contains("scale_cuda");
        if (!there) {
            System.out.println("skipped: no ffmpeg with CUDA's filters is installed");
        }
        Assumptions.assumeTrue(there, "no ffmpeg with CUDA's filters is installed");
        StubCuda.prepare();
    }

    private static String filters() throws Exception {
        try {
            Process ffmpeg = new ProcessBuilder("ffmpeg", "-hide_banner", "-filters")
                    .redirectErrorStream(true)
                    .start();
            return new String(ffmpeg.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (java.io.IOException absent) {
            return "";
        }
    }

    @Test
    void eachFrameOfFfmpegIsCopiedScaledAndCopiedBack() throws Exception {
        ProcessBuilder builder = StubCuda.builder(spools, 13, Map.of("LD_LIBRARY_PATH", StubCuda.simulated()));
        builder.command(
                "ffmpeg",
                "-hide_banner",
                "-v",
                "error",
                "-f",
                "lavfi",
                "-i",
                "testsrc=size=160x120:rate=25:duration=" + FRAMES / 25.0,
                "-vf",
                "format=nv12,hwupload_cuda,scale_cuda=80:60,hwdownload,format=nv12",
                "-f",
                "null",
                "-");
        Process ffmpeg = builder.redirectErrorStream(true).start();
        String said = new String(ffmpeg.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(ffmpeg.waitFor()).as(said).isZero();
        Timeline timeline = CoreFormats.load(spools);
        Map<RowKind, Long> kinds = IntStream.range(0, timeline.rowCount())
                .mapToObj(timeline::kind)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        // A plane of brightness and one of colour each.
        assertThat(kinds)
                .containsEntry(RowKind.KERNEL, 2L * FRAMES)
                .containsEntry(RowKind.MEMCPY_H2D, 2L * FRAMES)
                .containsEntry(RowKind.MEMCPY_D2H, 2L * FRAMES);
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.KERNEL) {
                assertThat(timeline.name(row)).startsWith("Subsample_");
                int launch = timeline.links().launchOf(row);
                assertThat(timeline.name(launch)).isEqualTo("cuLaunchKernel");
                assertThat(timeline.startNs(launch)).isLessThan(timeline.startNs(row));
            }
        }
        assertThat(IntStream.range(0, timeline.links().count())
                        .filter(link -> timeline.links().kind(link) == LinkKind.LAUNCH)
                        .filter(link -> timeline.kind(timeline.links().toRow(link)) != RowKind.DEVICE_SYNC))
                .hasSize(6 * FRAMES);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
    }
}

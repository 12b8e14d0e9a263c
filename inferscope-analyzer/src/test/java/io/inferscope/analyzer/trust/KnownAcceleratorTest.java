package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.SOUND;
import static io.inferscope.analyzer.trust.TrustChecks.assertNoted;
import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnownAcceleratorTest {
    @Test
    void aGpuInUseOfWhichNothingIsRecordedWithholds() {
        TimelineFixture host = TimelineFixture.drawing("""
                us           0         10
                thread main  [work    ]
                """);
        host.builder().property("process.42.device", "/dev/nvidia0");

        assertWithholds(check("known-accelerator", host), "a GPU is in use (process 42: /dev/nvidia0) and nothing");
    }

    @Test
    void aGpuWhoseUseWasNotTracedWithholds() {
        TimelineFixture host = TimelineFixture.drawing("""
                us           0         10
                thread main  [backbone]
                """);
        host.builder().property(TimelineInfo.UNTRACED, "GPU A");

        assertWithholds(
                check("known-accelerator", host), "the machine has a GPU (GPU A), and neither its work nor a call");
    }

    @Test
    void whatTheRecorderSaysOfItsRecordingIsQuoted() {
        TimelineFixture host = TimelineFixture.drawing("""
                us           0         10
                thread main  [backbone]
                """);
        host.builder().property(TimelineInfo.UNTRACED, "GPU A");
        host.builder().property(TimelineInfo.RECORDER_SAYS, "The driver is too new.");

        assertThat(check("known-accelerator", host).detail())
                .endsWith("; the recorder says: \"The driver is too new.\"");
    }

    @Test
    void aGpuInUseThatIsRecordedPasses() {
        TimelineFixture sound = TimelineFixture.drawing(SOUND);
        sound.builder().property("process.42.device", "/dev/nvidia0");

        assertThat(check("known-accelerator", sound).passed()).isTrue();
    }

    @Test
    void anUnknownAcceleratorWithoutKnownDeviceWithholds() {
        TrustCheck check = check(
                "known-accelerator",
                TimelineFixture.blank()
                        .host(RowKind.OTHER, "main", 0, 10, "matmul")
                        .text(Attribute.DETAIL, "npu_op"));

        assertWithholds(check, "events of categories that this version cannot place on a device: npu_op");
    }

    @Test
    void anUnknownAcceleratorBesideAKnownDeviceIsNoted() {
        TrustCheck check = check(
                "known-accelerator",
                TimelineFixture.drawing(SOUND)
                        .host(RowKind.OTHER, "main", 0, 10, "matmul")
                        .text(Attribute.DETAIL, "npu_op"));

        assertNoted(check, "events of categories that this version cannot place on a device: npu_op");
    }

    @Test
    void devicesWithMemoryAndWithoutKernelsBesideOthersAreNoted() {
        TimelineFixture sound = TimelineFixture.drawing(SOUND);
        for (String device : new String[] {"0", "2", "10"}) {
            sound.builder().property(TimelineInfo.ALLOCATES + device, "GPU_" + device + "_bfc");
        }

        assertNoted(
                check("known-accelerator", sound),
                "the program allocates memory on device 2, 10 and no kernel of theirs is recorded");
    }

    @Test
    void operatorsThatOnlyAGpuRunsWithholdWhereNothingOfItIsRecorded() {
        assertWithholds(
                check(
                        "known-accelerator",
                        TimelineFixture.blank()
                                .operator("main", 0, 10, "aten::relu_")
                                .operator("main", 10, 30, "aten::cudnn_convolution")
                                .operator("main", 30, 40, "MemcpyToHost")
                                .text(Attribute.PROVIDER, "CUDAExecutionProvider")),
                "operators run on a GPU (aten::cudnn_convolution, MemcpyToHost) and nothing that it did is recorded");
    }

    @Test
    void aNumberThatIsLongInComingIsComputedByADevice() {
        TimelineFixture waits = TimelineFixture.blank();
        TimelineFixture copies = TimelineFixture.blank();
        for (int i = 0; i < 3; i++) {
            for (TimelineFixture each : List.of(waits, copies)) {
                each.operator("main", 1_000 * i, 1_000 * i + 50, "aten::addmm");
            }
            waits.operator("main", 1_000 * i + 50, 1_000 * i + 950, "aten::_local_scalar_dense");
            copies.operator("main", 1_000 * i + 50, 1_000 * i + (i == 0 ? 950 : 53), "aten::_local_scalar_dense");
        }

        assertWithholds(
                check("known-accelerator", waits),
                "operators run on a GPU (aten::_local_scalar_dense, which copies one number in 900 us)");
        assertThat(check("known-accelerator", copies).passed()).isTrue();
    }

    @Test
    void lanesThatNothingShowsToBeThreadsWithhold() {
        assertWithholds(
                check(
                        "known-accelerator",
                        TimelineFixture.blank()
                                .scope("MAC", 0, 10, "conv")
                                .property(TimelineInfo.UNKNOWN_LANES, "MAC, DSP")),
                "nothing shows whether MAC, DSP are threads or queues of a device");
    }

    @Test
    void operatorsThatAnyDeviceRunsShowNone() {
        TimelineFixture host = TimelineFixture.blank()
                .operator("main", 0, 10, "aten::_scaled_dot_product_flash_attention_for_cpu")
                .operator("main", 10, 20, "MatMul")
                .text(Attribute.PROVIDER, "CPUExecutionProvider");

        assertThat(check("known-accelerator", host).passed()).isTrue();
    }

    @Test
    void operatorsOfARecordedGpuPass() {
        TimelineFixture sound = TimelineFixture.drawing(SOUND).operator("main", 20, 30, "aten::cudnn_convolution");

        assertThat(check("known-accelerator", sound).passed()).isTrue();
    }
}

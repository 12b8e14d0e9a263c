package io.inferscope.collectors.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.scope.spool.SpoolRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's list of AMD's devices: drivers/gpu/drm/amd/amdkfd/kfd_topology.c. */
class GpuNotesTest {
    @TempDir
    Path root;

    private MachineFixture fixture;

    @BeforeEach
    void machine() {
        fixture = new MachineFixture(root).recorded("linux");
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        GpuNotes.write(fixture.machine(), entry -> {
            SpoolRecord.Note note = (SpoolRecord.Note) entry;
            notes.add(note.key() + " = " + note.value());
        });
        return notes;
    }

    @Test
    void aMachineWithoutGpuHasNone() {
        assertThat(notes()).isEmpty();
    }

    @Test
    void cardsAreNamed() {
        fixture.recorded("h100");

        assertThat(notes()).containsExactly("host.gpus = 2 x NVIDIA H100 80GB HBM3");
    }

    @Test
    void whatKeepsAProgramFromThemIsNoted() {
        fixture.recorded("h100").with("$ CUDA_VISIBLE_DEVICES=\n");

        assertThat(notes())
                .contains(
                        "host.gpus.problem = CUDA_VISIBLE_DEVICES is '': the program sees no GPU",
                        "host.gpus.remedy = unset CUDA_VISIBLE_DEVICES, or name a GPU in it");
    }

    @Test
    void aContainerWithoutTheGpuIsTold() {
        fixture.recorded("h100")
                .with("== /.dockerenv\n")
                .without("/dev/nvidia0")
                .without("/dev/nvidia1");

        assertThat(notes()).element(1).asString().contains("there is no /dev/nvidia0 in this container");
        assertThat(notes()).element(2).asString().contains("docker run --gpus all");
    }

    @Test
    void withoutADriverTheBusTells() {
        fixture.with("""
                == /sys/bus/pci/devices/0000:19:00.0/vendor
                0x10de
                == /sys/bus/pci/devices/0000:19:00.0/class
                0x030200
                """);

        assertThat(notes()).element(0).isEqualTo("host.gpus = 1 NVIDIA GPU");
        assertThat(notes()).element(1).asString().contains("its driver is not loaded");
    }

    @Test
    void amdsCardsAreTheDevicesWithoutCoresOfACpu() {
        fixture.with("""
                == /dev/kfd
                == /sys/class/kfd/kfd/topology/nodes/0/properties
                cpu_cores_count 96
                simd_count 0
                == /sys/class/kfd/kfd/topology/nodes/1/properties
                cpu_cores_count 0
                simd_count 1216
                gfx_target_version 90402
                == /sys/class/kfd/kfd/topology/nodes/2/properties
                cpu_cores_count 0
                simd_count 440
                gfx_target_version 90010
                """);

        assertThat(notes()).containsExactly("host.gpus = AMD gfx90a, AMD gfx942");
    }

    @Test
    void graphicsOfAProcessorAreNoCard() {
        fixture.with("""
                == /dev/kfd
                == /sys/class/kfd/kfd/topology/nodes/0/properties
                cpu_cores_count 16
                simd_count 24
                gfx_target_version 110003
                """);

        assertThat(notes()).isEmpty();
    }
}

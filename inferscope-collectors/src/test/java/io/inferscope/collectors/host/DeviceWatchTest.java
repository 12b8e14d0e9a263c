package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.scope.spool.SpoolRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory maps in the kernel's format (proc_pid_maps(5)). */
class DeviceWatchTest {
    private static final String LIBRARY =
            "7f3a00000000-7f3a00200000 r-xp 00000000 08:01 1234 /usr/lib/x86_64-linux-gnu/libcuda.so.1\n";

    private final FakeSystem system = new FakeSystem();
    private final List<SpoolRecord> records = new ArrayList<>();
    private final DeviceWatch watch = new DeviceWatch(system, records::add);
    private SampledProcess process = new SampledProcess(42, 1, 0);

    @BeforeEach
    void start() {
        process = new SampledProcess(42, 1, system.nowNs);
    }

    private void after(long seconds, String maps) {
        system.nowNs = process.startNs + seconds * 1_000_000_000L;
        system.file("/proc/42/maps", maps);
        watch.read(List.of(process));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/nvidia0", "/dev/nvidia11", "/dev/nvidia-uvm", "/dev/kfd", "/dev/dri/renderD128"})
    void aMappedDeviceIsNotedOnce(String device) {
        String maps = LIBRARY + "7f3b00000000-7f3b00001000 rw-s 00000000 00:06 77 " + device + "\n";
        after(1, maps);
        after(3, maps);
        after(60, maps);

        assertThat(records).containsExactly(new SpoolRecord.Note("device", device, 42));
    }

    @Test
    void aDriversLibraryAloneIsNoUse() {
        after(1, LIBRARY + "7f3b00000000-7f3b00001000 rw-s 00000000 00:06 77 /dev/nvidiactl\n");
        after(60, LIBRARY);

        assertThat(records).isEmpty();
    }

    @Test
    void aDeviceThatIsOpenedLaterIsFound() {
        after(1, LIBRARY);
        after(4, LIBRARY);
        after(100, LIBRARY + "7f3b00000000-7f3b00001000 rw-s 00000000 00:06 77 /dev/nvidia0\n");

        assertThat(records).hasSize(1);
    }

    @Test
    void anotherProcessUnderAKnownIdIsLookedAtAgain() {
        String maps = "7f3b00000000-7f3b00001000 rw-s 00000000 00:06 77 /dev/nvidia0\n";
        after(1, maps);
        watch.finish(42);
        process = new SampledProcess(42, 1, system.nowNs);
        after(1, maps);

        assertThat(records).hasSize(2);
    }
}

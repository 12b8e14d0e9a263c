package io.inferscope.collectors.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.NativeFolder;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The real binding against a library that the test builds; each in a JVM of its own, as a JVM loads a library once. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
@Tag("process")
@Tag("native")
class JavaCppNvmlTest {
    @TempDir
    Path folder;

    /** Prints what the binding says of a library: folder of natives, library. */
    static final class Print {
        private Print() {}

        public static void main(String[] args) {
            try (GpuDriver driver = JavaCppNvml.open(Path.of(args[0]), Path.of(args[1]))) {
                for (int i = 0; i < driver.devices(); i++) {
                    System.out.println(driver.describe(i));
                    System.out.println(driver.read(i));
                    System.out.println(driver.surroundings(i));
                }
            } catch (NvmlUnavailable e) {
                System.out.println("unavailable: " + e.getMessage());
            }
        }
    }

    private String print(Path library) throws Exception {
        Path natives = NativeFolder.of(StubNvml.home(folder.resolve("home")));
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Duser.home=" + folder,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Print.class.getName(),
                        natives.toString(),
                        library.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        int code = process.waitFor();
        String text = Files.readString(out);
        assertThat(code).as(text).isZero();
        return text;
    }

    @Test
    void countersHaveTheirUnits() throws Exception {
        assertThat(print(StubNvml.build(folder.resolve("new")))).isEqualTo("""
                Device[name=NVIDIA Stub 80GB, uuid=GPU-00000000-1111, limits={nvml.memory_total_bytes=8.589934592E10, nvml.sm_clock_max_hz=1.98E9, nvml.power_limit_watts=700.0}]
                {nvml.utilisation_ratio=0.4, nvml.memory_activity_ratio=0.25, nvml.memory_used_bytes=1.073741824E10, nvml.sm_clock_hz=1.41E9, nvml.memory_clock_hz=2.619E9, nvml.clock_reasons=36.0, nvml.power_watts=312.5, nvml.temperature_celsius=61.0, nvml.ecc_corrected_errors=7.0, nvml.ecc_uncorrected_errors=0.0}
                {nvml.pcie_sent_bytes_per_second=1000000.0, nvml.pcie_received_bytes_per_second=2000000.0, nvml.pcie_link_generation=5.0, nvml.pcie_link_width=16.0, nvml.processes=2.0}
                Device[name=NVIDIA Stub 80GB, uuid=GPU-11111111-2222, limits={nvml.memory_total_bytes=8.589934592E10, nvml.sm_clock_max_hz=1.98E9, nvml.power_limit_watts=700.0}]
                {nvml.utilisation_ratio=NaN, nvml.memory_activity_ratio=NaN, nvml.memory_used_bytes=1.1811160064E10, nvml.sm_clock_hz=1.41E9, nvml.memory_clock_hz=2.619E9, nvml.clock_reasons=36.0, nvml.power_watts=312.5, nvml.temperature_celsius=61.0, nvml.ecc_corrected_errors=7.0, nvml.ecc_uncorrected_errors=0.0}
                {nvml.pcie_sent_bytes_per_second=1000000.0, nvml.pcie_received_bytes_per_second=2000000.0, nvml.pcie_link_generation=NaN, nvml.pcie_link_width=16.0, nvml.processes=0.0}
                """);
        assertThat(new File(folder.toFile(), ".javacpp")).doesNotExist();
    }

    @Test
    void anOlderDriversFunctionsAreUsedWhereItLacksTheNewOnes() throws Exception {
        assertThat(print(StubNvml.build(folder.resolve("old"), "-DDRIVER_BEFORE_535")))
                .contains("nvml.clock_reasons=4.0")
                .doesNotContain("unavailable");
    }

    @Test
    void aDriverThatRefusesIsNamed() throws Exception {
        assertThat(print(StubNvml.build(folder.resolve("refusing"), "-DINIT_CODE=9")))
                .isEqualTo("unavailable: NVML: Driver Not Loaded (9)\n");
    }

    @Test
    void aFileThatIsNoLibraryIsNoHarm() throws Exception {
        Path text = Files.writeString(folder.resolve("libnvidia-ml.so.1"), "no library\n");

        assertThat(print(text)).contains("unavailable: NVML cannot be loaded: ");
    }
}

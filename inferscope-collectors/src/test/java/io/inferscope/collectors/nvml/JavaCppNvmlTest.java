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
                Device[name=NVIDIA Stub 80GB, uuid=GPU-00000000-1111, memoryTotalBytes=8.589934592E10, smClockMostHz=1.98E9, powerLimitWatts=700.0]
                Reading[utilisationRatio=0.4, memoryActivityRatio=0.25, memoryUsedBytes=1.073741824E10, smClockHz=1.41E9, memoryClockHz=2.619E9, clockReasons=36.0, powerWatts=312.5, temperatureCelsius=61.0, eccCorrected=7.0, eccUncorrected=0.0]
                Surroundings[sentBytesPerSecond=1000000.0, receivedBytesPerSecond=2000000.0, linkGeneration=5.0, linkWidth=16.0, processes=2.0]
                Device[name=NVIDIA Stub 80GB, uuid=GPU-11111111-2222, memoryTotalBytes=8.589934592E10, smClockMostHz=1.98E9, powerLimitWatts=700.0]
                Reading[utilisationRatio=NaN, memoryActivityRatio=NaN, memoryUsedBytes=1.1811160064E10, smClockHz=1.41E9, memoryClockHz=2.619E9, clockReasons=36.0, powerWatts=312.5, temperatureCelsius=61.0, eccCorrected=7.0, eccUncorrected=0.0]
                Surroundings[sentBytesPerSecond=1000000.0, receivedBytesPerSecond=2000000.0, linkGeneration=NaN, linkWidth=16.0, processes=0.0]
                """);
        assertThat(new File(folder.toFile(), ".javacpp")).doesNotExist();
    }

    @Test
    void anOlderDriversFunctionsAreUsedWhereItLacksTheNewOnes() throws Exception {
        assertThat(print(StubNvml.build(folder.resolve("old"), "-DDRIVER_BEFORE_535")))
                .contains("clockReasons=4.0")
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

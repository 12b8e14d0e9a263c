package io.inferscope.collectors.os;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The device files by which GPU drivers make themselves known. The system property {@code inferscope.root} names
 * another root than /, for tests.
 */
public final class DeviceFiles {
    /** The root of the machine's files. */
    public static final Path ROOT = Path.of(System.getProperty("inferscope.root", "/"));

    private static final List<String> GPUS = List.of("/dev/nvidia0", "/dev/kfd");

    private DeviceFiles() {}

    /** Returns whether NVIDIA's driver is there, or its stand-in under Windows' subsystem for Linux. */
    public static boolean hasNvidiaDriver() {
        return exists("/dev/nvidiactl") || exists("/dev/dxg");
    }

    /** Returns whether AMD's compute driver is there. */
    public static boolean hasAmdDriver() {
        return exists("/dev/kfd");
    }

    /** Returns the device files of GPUs that can be computed on. */
    public static List<String> gpus() {
        return GPUS.stream().filter(DeviceFiles::exists).toList();
    }

    private static boolean exists(String file) {
        return Files.exists(ROOT.resolve(file.substring(1)));
    }
}

package io.inferscope.collectors.nvml;

import io.inferscope.collectors.os.NativeFunctions;
import io.inferscope.timeline.DeviceCounters;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import org.bytedeco.cuda.global.nvml;
import org.bytedeco.cuda.nvml.nvmlDevice_st;
import org.bytedeco.cuda.nvml.nvmlMemory_t;
import org.bytedeco.cuda.nvml.nvmlUtilization_t;

/**
 * NVML through JavaCPP's CUDA presets. Signatures, units and constants: NVML API reference.
 *
 * <p>The presets' own loader is disabled, because it would require CUDA's runtime, which is not needed. The libraries
 * are loaded by path. They are bound lazily, and a call of a function that an older driver lacks would end the process,
 * so each function is looked up before its first call.
 */
@SuppressWarnings("deprecation") // Older drivers lack the newer functions.
final class JavaCppNvml implements GpuDriver {
    private static final int NAME_BYTES = 96; // NVML_DEVICE_NAME_V2_BUFFER_SIZE, NVML_DEVICE_UUID_V2_BUFFER_SIZE
    private static final int CLOCK_SM = 1; // nvmlClockType_t
    private static final int CLOCK_MEMORY = 2;
    private static final int CHIP = 0; // NVML_TEMPERATURE_GPU
    private static final int SENT = 0; // nvmlPcieUtilCounter_t
    private static final int RECEIVED = 1;
    private static final int CORRECTED = 0; // nvmlMemoryErrorType_t
    private static final int UNCORRECTED = 1;
    private static final int SINCE_LOAD = 0; // NVML_VOLATILE_ECC
    private static final int TOO_SHORT = 7; // NVML_ERROR_INSUFFICIENT_SIZE
    private static final double PERCENT = 100;
    private static final double HZ_PER_MHZ = 1e6;
    private static final double BYTES_PER_KB = 1000;
    private static final double MILLI = 1e-3;

    private final NativeFunctions functions;
    private final nvmlDevice_st[] devices;
    private final int[] word = new int[1];
    private final long[] longWord = new long[1];

    private JavaCppNvml(NativeFunctions functions) throws NvmlUnavailable {
        this.functions = functions;
        if (functions.refuses("nvmlDeviceGetCount_v2", () -> nvml.nvmlDeviceGetCount_v2(word))) {
            throw new NvmlUnavailable("the driver does not say how many devices there are");
        }
        devices = new nvmlDevice_st[word[0]];
        for (int i = 0; i < devices.length; i++) {
            int index = i;
            devices[i] = new nvmlDevice_st();
            if (functions.refuses(
                    "nvmlDeviceGetHandleByIndex_v2", () -> nvml.nvmlDeviceGetHandleByIndex_v2(index, devices[index]))) {
                throw new NvmlUnavailable("the driver does not return device " + i + ", which it counts");
            }
        }
    }

    /**
     * Loads the driver's library and opens it.
     *
     * @param natives the folder of the presets' native parts
     * @param library libnvidia-ml.so.1
     */
    static JavaCppNvml open(Path natives, Path library) throws NvmlUnavailable {
        String file = library.toAbsolutePath().toString();
        System.setProperty("org.bytedeco.javacpp.loadlibraries", "false"); // before any class of the presets
        try {
            System.load(file);
            System.load(natives.resolve("libjnijavacpp.so").toAbsolutePath().toString());
            System.load(natives.resolve("libjninvml.so").toAbsolutePath().toString());
            NativeFunctions functions = NativeFunctions.of(file);
            if (!functions.has("nvmlInit_v2")) {
                throw new NvmlUnavailable(file + " is not NVML, or belongs to a driver that is too old");
            }
            int code = nvml.nvmlInit_v2();
            if (code != nvml.NVML_SUCCESS) {
                throw new NvmlUnavailable("NVML: " + nvml.nvmlErrorString(code).getString() + " (" + code + ")");
            }
            return new JavaCppNvml(functions);
        } catch (LinkageError e) {
            throw new NvmlUnavailable("NVML cannot be loaded: " + e.getMessage());
        }
    }

    @Override
    public int devices() {
        return devices.length;
    }

    @Override
    public Device describe(int index) {
        nvmlDevice_st device = devices[index];
        byte[] text = new byte[NAME_BYTES];
        String name = functions.refuses("nvmlDeviceGetName", () -> nvml.nvmlDeviceGetName(device, text, text.length))
                ? ""
                : text(text);
        String uuid = functions.refuses("nvmlDeviceGetUUID", () -> nvml.nvmlDeviceGetUUID(device, text, text.length))
                ? ""
                : text(text);
        Map<String, Double> limits = new LinkedHashMap<>();
        limits.put(DeviceCounters.MEMORY_TOTAL, memory(device)[0]);
        limits.put(
                DeviceCounters.SM_CLOCK_MOST,
                HZ_PER_MHZ
                        * word(
                                "nvmlDeviceGetMaxClockInfo",
                                () -> nvml.nvmlDeviceGetMaxClockInfo(device, CLOCK_SM, word)));
        limits.put(
                DeviceCounters.POWER_LIMIT,
                MILLI
                        * word(
                                "nvmlDeviceGetEnforcedPowerLimit",
                                () -> nvml.nvmlDeviceGetEnforcedPowerLimit(device, word)));
        return new Device(name, uuid, limits);
    }

    @Override
    public Map<String, Double> read(int index) {
        nvmlDevice_st device = devices[index];
        double[] utilisation = utilisation(device);
        Map<String, Double> read = new LinkedHashMap<>();
        read.put(DeviceCounters.UTILISATION, utilisation[0]);
        read.put(DeviceCounters.MEMORY_ACTIVITY, utilisation[1]);
        read.put(DeviceCounters.MEMORY_USED, memory(device)[1]);
        read.put(DeviceCounters.SM_CLOCK, clock(device, CLOCK_SM));
        read.put(DeviceCounters.MEMORY_CLOCK, clock(device, CLOCK_MEMORY));
        read.put(DeviceCounters.CLOCK_REASONS, clockReasons(device));
        read.put(
                DeviceCounters.POWER,
                MILLI * word("nvmlDeviceGetPowerUsage", () -> nvml.nvmlDeviceGetPowerUsage(device, word)));
        read.put(
                DeviceCounters.TEMPERATURE,
                word("nvmlDeviceGetTemperature", () -> nvml.nvmlDeviceGetTemperature(device, CHIP, word)));
        read.put(DeviceCounters.ECC_CORRECTED, eccErrors(device, CORRECTED));
        read.put(DeviceCounters.ECC_UNCORRECTED, eccErrors(device, UNCORRECTED));
        return read;
    }

    @Override
    public Map<String, Double> surroundings(int index) {
        nvmlDevice_st device = devices[index];
        Map<String, Double> read = new LinkedHashMap<>();
        read.put(DeviceCounters.PCIE_SENT, traffic(device, SENT));
        read.put(DeviceCounters.PCIE_RECEIVED, traffic(device, RECEIVED));
        read.put(
                DeviceCounters.PCIE_GENERATION,
                word(
                        "nvmlDeviceGetCurrPcieLinkGeneration",
                        () -> nvml.nvmlDeviceGetCurrPcieLinkGeneration(device, word)));
        read.put(
                DeviceCounters.PCIE_WIDTH,
                word("nvmlDeviceGetCurrPcieLinkWidth", () -> nvml.nvmlDeviceGetCurrPcieLinkWidth(device, word)));
        read.put(DeviceCounters.PROCESSES, processes(device));
        return read;
    }

    private double clock(nvmlDevice_st device, int which) {
        return HZ_PER_MHZ * word("nvmlDeviceGetClockInfo", () -> nvml.nvmlDeviceGetClockInfo(device, which, word));
    }

    /** Returns the number of processes, which the driver reports when it refuses a list that is too short. */
    private double processes(nvmlDevice_st device) {
        return word("nvmlDeviceGetComputeRunningProcesses_v3", () -> {
            word[0] = 0;
            int code = nvml.nvmlDeviceGetComputeRunningProcesses_v3(device, word, null);
            return code == TOO_SHORT ? nvml.NVML_SUCCESS : code;
        });
    }

    private double traffic(nvmlDevice_st device, int direction) {
        return BYTES_PER_KB
                * word("nvmlDeviceGetPcieThroughput", () -> nvml.nvmlDeviceGetPcieThroughput(device, direction, word));
    }

    private double[] utilisation(nvmlDevice_st device) {
        try (nvmlUtilization_t rates = new nvmlUtilization_t()) {
            return functions.refuses(
                            "nvmlDeviceGetUtilizationRates", () -> nvml.nvmlDeviceGetUtilizationRates(device, rates))
                    ? new double[] {Double.NaN, Double.NaN}
                    : new double[] {rates.gpu() / PERCENT, rates.memory() / PERCENT};
        }
    }

    /** Returns total and used bytes. */
    private double[] memory(nvmlDevice_st device) {
        try (nvmlMemory_t memory = new nvmlMemory_t()) {
            return functions.refuses("nvmlDeviceGetMemoryInfo", () -> nvml.nvmlDeviceGetMemoryInfo(device, memory))
                    ? new double[] {Double.NaN, Double.NaN}
                    : new double[] {memory.total(), memory.used()};
        }
    }

    /** Drivers before 535 know the same bits by another name. */
    private double clockReasons(nvmlDevice_st device) {
        if (functions.has("nvmlDeviceGetCurrentClocksEventReasons")) {
            return longWord(
                    "nvmlDeviceGetCurrentClocksEventReasons",
                    () -> nvml.nvmlDeviceGetCurrentClocksEventReasons(device, longWord));
        }
        return longWord(
                "nvmlDeviceGetCurrentClocksThrottleReasons",
                () -> nvml.nvmlDeviceGetCurrentClocksThrottleReasons(device, longWord));
    }

    private double eccErrors(nvmlDevice_st device, int kind) {
        return longWord(
                "nvmlDeviceGetTotalEccErrors",
                () -> nvml.nvmlDeviceGetTotalEccErrors(device, kind, SINCE_LOAD, longWord));
    }

    private double word(String function, IntSupplier call) {
        return functions.refuses(function, call) ? Double.NaN : Integer.toUnsignedLong(word[0]);
    }

    private double longWord(String function, IntSupplier call) {
        return functions.refuses(function, call) ? Double.NaN : longWord[0];
    }

    private static String text(byte[] bytes) {
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        functions.refuses("nvmlShutdown", nvml::nvmlShutdown);
    }
}

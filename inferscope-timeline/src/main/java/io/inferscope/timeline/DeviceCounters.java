package io.inferscope.timeline;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of counters about devices, for their writers and readers. The device is a label, as in Prometheus, with the
 * id of its track: {@code nvml.utilisation_ratio{device="0"}}.
 */
public final class DeviceCounters {
    /**
     * The share, 0 to 1, of the time since the previous sample in which a kernel of any program ran: NVML's {@code
     * utilization.gpu} (nvmlDeviceGetUtilizationRates, NVML API reference), which NVML averages over 1/6 s to 1 s.
     */
    public static final String UTILISATION = "nvml.utilisation_ratio";

    /**
     * The share, 0 to 1, of the time since the previous sample in which the device's memory was read or written: {@code
     * utilization.memory}.
     */
    public static final String MEMORY_ACTIVITY = "nvml.memory_activity_ratio";

    /** Memory in use, by any program, and by the driver itself: nvmlDeviceGetMemoryInfo. */
    public static final String MEMORY_USED = "nvml.memory_used_bytes";

    /** Memory there is: nvmlDeviceGetMemoryInfo. */
    public static final String MEMORY_TOTAL = "nvml.memory_total_bytes";

    /** Clock of the multiprocessors, and its maximum: nvmlDeviceGetClockInfo, nvmlDeviceGetMaxClockInfo. */
    public static final String SM_CLOCK = "nvml.sm_clock_hz";

    /** See {@link #SM_CLOCK}. */
    public static final String SM_CLOCK_MOST = "nvml.sm_clock_max_hz";

    public static final String MEMORY_CLOCK = "nvml.memory_clock_hz";

    /**
     * Why the clocks are not higher: bits of nvmlClocksEventReasons (nvml.h). {@link #HELD_DOWN} are those that slow a
     * busy device down.
     */
    public static final String CLOCK_REASONS = "nvml.clock_reasons";

    /** Bytes a second that the device sent and received over PCIe, over 20 ms: nvmlDeviceGetPcieThroughput. */
    public static final String PCIE_SENT = "nvml.pcie_sent_bytes_per_second";

    /** See {@link #PCIE_SENT}. */
    public static final String PCIE_RECEIVED = "nvml.pcie_received_bytes_per_second";

    /** Power drawn: nvmlDeviceGetPowerUsage, over a second on most devices. */
    public static final String POWER = "nvml.power_watts";

    /** The limit of power in force: nvmlDeviceGetEnforcedPowerLimit. */
    public static final String POWER_LIMIT = "nvml.power_limit_watts";

    /** Temperature of the chip: nvmlDeviceGetTemperature. */
    public static final String TEMPERATURE = "nvml.temperature_celsius";

    /** Memory errors since the driver was loaded, corrected and uncorrected: nvmlDeviceGetTotalEccErrors, volatile. */
    public static final String ECC_CORRECTED = "nvml.ecc_corrected_errors";

    /** See {@link #ECC_CORRECTED}. */
    public static final String ECC_UNCORRECTED = "nvml.ecc_uncorrected_errors";

    /** Prefix of the key of a run's note with a device's unique id; the device's number, as in counters, follows. */
    public static final String UUID_NOTE = "device.uuid.";

    /**
     * The reasons that slow a busy device down: power cap 0x4, hardware slowdown 0x8, thermal slowdown by software 0x20
     * and by hardware 0x40, power brake 0x80. Of the others 0x1 means idle, and 0x2, 0x10 and 0x100 are settings.
     */
    public static final long HELD_DOWN = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

    /**
     * The link to the host in its current state: its PCI Express generation (nvmlDeviceGetCurrPcieLinkGeneration); an
     * idle device lowers it.
     */
    public static final String PCIE_GENERATION = "nvml.pcie_link_generation";

    /** Lanes of that link: nvmlDeviceGetCurrPcieLinkWidth. */
    public static final String PCIE_WIDTH = "nvml.pcie_link_width";

    /** Processes with a context on the device: the number of nvmlDeviceGetComputeRunningProcesses. */
    public static final String PROCESSES = "nvml.processes";

    private static final Pattern DEVICE = Pattern.compile("\\{device=\"([^\"]+)\"}");

    private DeviceCounters() {}

    /** Returns the key of a counter's track. */
    public static String key(String counter, String device) {
        return counter + "{device=\"" + device + "\"}";
    }

    /** Returns the device named in the key of a counter's track; empty if it names none. */
    public static String device(String key) {
        Matcher matcher = DEVICE.matcher(key);
        return matcher.find() ? matcher.group(1) : "";
    }
}

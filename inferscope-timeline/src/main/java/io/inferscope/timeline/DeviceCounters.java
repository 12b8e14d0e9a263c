package io.inferscope.timeline;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of counters about devices, for whoever writes and whoever reads them. The device is a label, in the manner of Prometheus,
 * and has the id that its track has: {@code nvml.utilisation_ratio{device="0"}}.
 */
public final class DeviceCounters {
    /**
     * For how much of the time since the sample before, 0 to 1, a kernel of any program ran: NVML's {@code utilization.gpu}
     * (nvmlDeviceGetUtilizationRates, NVML API reference), which NVML averages over 1/6 s to 1 s.
     */
    public static final String UTILISATION = "nvml.utilisation_ratio";

    private static final Pattern DEVICE = Pattern.compile("\\{device=\"([^\"]+)\"}");

    private DeviceCounters() {}

    /** Returns the key of a counter's track. */
    public static String key(String counter, String device) {
        return counter + "{device=\"" + device + "\"}";
    }

    /** Returns the device that the key of a counter's track names; empty where it names none. */
    public static String device(String key) {
        Matcher matcher = DEVICE.matcher(key);
        return matcher.find() ? matcher.group(1) : "";
    }
}

package io.inferscope.collectors.nvml;

import io.inferscope.timeline.DeviceCounters;
import java.util.Map;

/** The needed functions of NVML. Unknown values are NaN or empty texts; nothing throws once the driver is open. */
interface GpuDriver extends AutoCloseable {
    /** Returns the number of devices; they are counted in the order of their PCI addresses. */
    int devices();

    /** Returns the constant properties of a device. */
    Device describe(int index);

    /** Reads a device's counters, except those of its link and processes, by their names in {@link DeviceCounters}. */
    Map<String, Double> read(int index);

    /**
     * Reads a device's link and processes. Measuring the traffic over PCIe takes the driver some 20 ms per direction.
     */
    Map<String, Double> surroundings(int index);

    @Override
    void close();

    /**
     * A device.
     *
     * @param name such as {@code NVIDIA H100 80GB HBM3}
     * @param uuid such as {@code GPU-5c8c...}
     * @param limits what does not change: its memory, highest clock and limit of power
     */
    record Device(String name, String uuid, Map<String, Double> limits) {}
}

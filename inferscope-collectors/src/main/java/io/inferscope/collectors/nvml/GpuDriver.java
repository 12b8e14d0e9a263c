package io.inferscope.collectors.nvml;

/** The needed functions of NVML. Unknown values are NaN or empty texts; nothing throws once the driver is open. */
interface GpuDriver extends AutoCloseable {
    /** Returns the number of devices; they are counted in the order of their PCI addresses. */
    int devices();

    /** Returns the constant properties of a device. */
    Device describe(int index);

    /** Reads a device's counters, except those of its link and processes. */
    Reading read(int index);

    /**
     * Reads a device's link and processes. Measuring the traffic over PCIe takes the driver some 20 ms per direction.
     */
    Surroundings surroundings(int index);

    @Override
    void close();

    /**
     * A device.
     *
     * @param name such as {@code NVIDIA H100 80GB HBM3}
     * @param uuid such as {@code GPU-5c8c...}
     * @param memoryTotalBytes its memory
     * @param smClockMostHz the highest clock of the multiprocessors
     * @param powerLimitWatts the limit in force
     */
    record Device(String name, String uuid, double memoryTotalBytes, double smClockMostHz, double powerLimitWatts) {}

    /**
     * Counters at one instant: see {@link io.inferscope.timeline.DeviceCounters} for each.
     *
     * @param utilisationRatio 0 to 1
     * @param memoryActivityRatio 0 to 1
     * @param clockReasons bits
     */
    record Reading(
            double utilisationRatio,
            double memoryActivityRatio,
            double memoryUsedBytes,
            double smClockHz,
            double memoryClockHz,
            double clockReasons,
            double powerWatts,
            double temperatureCelsius,
            double eccCorrected,
            double eccUncorrected) {}

    /**
     * The link between a device and the host, and the processes that use the device.
     *
     * @param sentBytesPerSecond traffic over PCIe, seen from the device; received likewise
     * @param linkGeneration current PCI Express generation of the link
     * @param linkWidth its lanes
     * @param processes how many have a context on the device
     */
    record Surroundings(
            double sentBytesPerSecond,
            double receivedBytesPerSecond,
            double linkGeneration,
            double linkWidth,
            double processes) {}
}

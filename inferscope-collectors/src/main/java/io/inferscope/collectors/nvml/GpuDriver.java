package io.inferscope.collectors.nvml;

/** What NVML is asked. What a device or its driver does not tell is NaN, or an empty text; nothing throws once the driver is open. */
interface GpuDriver extends AutoCloseable {
    /** Returns the number of devices; they are counted in the order of their PCI addresses. */
    int devices();

    /** Returns what of a device does not change. */
    Device describe(int index);

    /** Reads a device's counters, all but its surroundings. */
    Reading read(int index);

    /** Reads what is around a device; measuring the traffic over PCIe takes the driver some 20 ms for each direction. */
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
     * @param linkGeneration PCI Express generation of the link as it is
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

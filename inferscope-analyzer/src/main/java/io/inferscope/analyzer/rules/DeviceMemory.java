package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.MemoryFigures;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.DeviceCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Peak use of each device's memory, by the driver's counters {@code nvml.memory_used_bytes{device="0"}} and {@code
 * nvml.memory_total_bytes{device="0"}} (nvmlDeviceGetMemoryInfo, NVML API reference); if those are not recorded, by the
 * peak of one process' allocator.
 *
 * @param device the device's label
 * @param usedBytes the peak use
 * @param totalBytes the size
 */
record DeviceMemory(String device, double usedBytes, double totalBytes) {
    private static final String USED = DeviceCounters.MEMORY_USED;
    private static final String TOTAL = DeviceCounters.MEMORY_TOTAL;

    double freeBytes() {
        return totalBytes - usedBytes;
    }

    double usedRatio() {
        return usedBytes / totalBytes;
    }

    /** Returns one entry per device with known use and size. */
    static List<DeviceMemory> of(Analysis analysis) {
        List<DeviceMemory> devices = new ArrayList<>();
        for (Series used : analysis.counters().named(USED)) {
            String labels = used.key().substring(USED.length());
            for (Series total : analysis.counters().named(TOTAL)) {
                if (total.key().substring(TOTAL.length()).equals(labels) && total.most() > 0) {
                    devices.add(new DeviceMemory(device(labels), used.most(), total.most()));
                }
            }
        }
        return devices.isEmpty() ? allocators(analysis) : devices;
    }

    private static List<DeviceMemory> allocators(Analysis analysis) {
        List<DeviceMemory> devices = new ArrayList<>();
        for (MemoryFigures memory : Tables.of(analysis).rows(ShapeTables.ALLOCATORS)) {
            Long capacity = memory.capacityBytes();
            if (capacity != null && capacity > 0) {
                long reserved = Objects.requireNonNullElse(memory.peakReservedBytes(), 0L);
                double held = Math.max(reserved, memory.peakAllocatedBytes());
                devices.add(new DeviceMemory(memory.device(), held, capacity));
            }
        }
        return devices;
    }

    private static String device(String labels) {
        return labels.replaceAll("^.*device=\"([^\"]*)\".*", "$1");
    }
}

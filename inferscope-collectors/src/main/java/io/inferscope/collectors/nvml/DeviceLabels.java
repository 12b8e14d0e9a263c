package io.inferscope.collectors.nvml;

import io.inferscope.timeline.DeviceCounters;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Maps NVML's devices to a CUDA program's device numbers. NVML counts in the order of PCI addresses. CUDA counts the
 * devices in CUDA_VISIBLE_DEVICES, in that order, or all devices: in the order of PCI addresses if CUDA_DEVICE_ORDER is
 * PCI_BUS_ID, otherwise the fastest first, which is the same order for equal devices and unknown for others (CUDA
 * programming guide, "CUDA environment variables").
 *
 * @param indices NVML's indices of the devices that the program sees
 */
record DeviceLabels(List<Integer> indices, boolean known) {
    /**
     * Finds the order.
     *
     * @param devices NVML's devices, by its index
     * @param visible CUDA_VISIBLE_DEVICES, null when it is not set
     * @param order CUDA_DEVICE_ORDER, empty when it is not set
     */
    static DeviceLabels of(List<GpuDriver.Device> devices, @Nullable String visible, String order) {
        Set<String> names = new HashSet<>();
        devices.forEach(device -> names.add(device.name()));
        boolean byAddress = names.size() <= 1 || order.equals("PCI_BUS_ID");
        List<Integer> indices = new ArrayList<>();
        if (visible == null) {
            for (int i = 0; i < devices.size(); i++) {
                indices.add(i);
            }
            return new DeviceLabels(indices, byAddress);
        }
        boolean known = true;
        for (String name : visible.split(",", -1)) {
            int index = index(devices, name.strip());
            if (index < 0 || indices.contains(index)) {
                break; // CUDA ignores all entries after an unknown one.
            }
            known &= byAddress || name.strip().startsWith("GPU-");
            indices.add(index);
        }
        return new DeviceLabels(indices, known);
    }

    private static int index(List<GpuDriver.Device> devices, String name) {
        if (name.matches("\\d{1,4}")) {
            int index = Integer.parseInt(name);
            return index < devices.size() ? index : -1;
        }
        for (int i = 0; i < devices.size(); i++) {
            if (name.startsWith("GPU-") && devices.get(i).uuid().startsWith(name)) {
                return i;
            }
        }
        return -1;
    }

    /** Returns whether the program's numbers are known. */
    boolean isKnown() {
        return known;
    }

    /** Returns the key of a counter of NVML's device {@code index}: by the program's number if that is known. */
    String key(String counter, int index) {
        return known
                ? DeviceCounters.key(counter, Integer.toString(indices.indexOf(index)))
                : counter + "{nvml_index=\"" + index + "\"}";
    }
}

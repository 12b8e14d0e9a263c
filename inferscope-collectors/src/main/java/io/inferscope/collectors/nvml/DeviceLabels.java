package io.inferscope.collectors.nvml;

import io.inferscope.timeline.DeviceCounters;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says which of NVML's devices a CUDA program calls 0, 1, 2 ... NVML counts in the order of PCI addresses. CUDA counts what
 * CUDA_VISIBLE_DEVICES names, in that order, or all: in the order of PCI addresses when CUDA_DEVICE_ORDER is PCI_BUS_ID, else the
 * fastest first, which among equal devices is the same order and among others is not known (CUDA programming guide, "CUDA environment
 * variables").
 */
final class DeviceLabels {
    private final List<Integer> indices;
    private final boolean known;

    private DeviceLabels(List<Integer> indices, boolean known) {
        this.indices = indices;
        this.known = known;
    }

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
                break; // What follows an unknown entry is invisible.
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

    /** Returns NVML's indices of the devices that the program sees. */
    List<Integer> indices() {
        return indices;
    }

    /** Returns whether it is known what the program calls them. */
    boolean isKnown() {
        return known;
    }

    /** Returns the key of a counter of NVML's device {@code index}: by the program's number, where that is known. */
    String key(String counter, int index) {
        return known
                ? DeviceCounters.key(counter, Integer.toString(indices.indexOf(index)))
                : counter + "{nvml_index=\"" + index + "\"}";
    }
}

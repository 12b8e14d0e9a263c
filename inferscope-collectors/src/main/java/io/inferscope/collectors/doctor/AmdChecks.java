package io.inferscope.collectors.doctor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** AMD's GPUs: recorded through PyTorch's profiler, or by rocprofv3 and imported. */
record AmdChecks(Machine machine) {
    private static final String ID = "rocm";
    private static final String DEVICE = "/dev/kfd";
    private static final String NODES = "/sys/class/kfd/kfd/topology/nodes";
    private static final List<String> VERSION_FILES = List.of("/opt/rocm/.info/version", "/opt/rocm/.info/version-dev");

    /** Checks whether work on AMD's GPUs can be recorded. */
    CollectorCheck rocm(TorchBuild torch) {
        int onBus = NvidiaDriver.onBus(machine, NvidiaDriver.AMD);
        if (!machine.exists(DEVICE) && onBus == 0) {
            return CollectorCheck.absent(ID, "no AMD GPU here");
        }
        Optional<CollectorCheck> unusable = unusable(ID);
        if (unusable.isPresent()) {
            return unusable.get();
        }
        String rocm = version();
        if (torch.hip().isEmpty()) {
            return CollectorCheck.limited(
                    ID,
                    rocm + "; torch for HIP is not installed for the command's interpreter",
                    "record with rocprofv3 --runtime-trace -- COMMAND, and analyze what it writes");
        }
        return CollectorCheck.limited(
                ID,
                rocm + ", " + torch.describe()
                        + ": kernels and copies in windows of PyTorch's profiler (inferscope run opens them)",
                "for all of a run: rocprofv3 --runtime-trace -- COMMAND, and analyze what it writes");
    }

    /** Checks whether the device file can be opened; empty if it can. */
    Optional<CollectorCheck> unusable(String id) {
        if (!machine.exists(DEVICE)) {
            String remedy = HostChecks.isContainer(machine)
                    ? "start the container with --device=/dev/kfd --device=/dev/dri"
                    : "load the driver: modprobe amdgpu";
            return Optional.of(CollectorCheck.fails(
                    id, "an AMD GPU is on the PCI bus, but its compute driver's /dev/kfd is missing", remedy));
        }
        return machine.isOpen(DEVICE)
                ? Optional.empty()
                : Optional.of(CollectorCheck.fails(
                        id,
                        "this user may not open /dev/kfd",
                        "join its group: sudo usermod -aG render,video USER, then log in again"));
    }

    /**
     * Returns the cards, as in {@code 8 x AMD gfx942}, empty if there are none. The compute driver also lists CPUs, and
     * processors with graphics of their own, which have cores of a CPU as well. Source: the kernel's
     * drivers/gpu/drm/amd/amdkfd/kfd_topology.c.
     */
    String cards() {
        List<String> cards = new ArrayList<>();
        for (String node : machine.list(NODES)) {
            String properties = machine.text(NODES + "/" + node + "/properties");
            if (number(properties, "simd_count") > 0 && number(properties, "cpu_cores_count") == 0) {
                int version = number(properties, "gfx_target_version");
                cards.add(String.format(
                        Locale.ROOT, "AMD gfx%d%x%x", version / 10_000, version / 100 % 100, version % 100));
            }
        }
        Collections.sort(cards);
        return NvidiaDriver.counted(cards);
    }

    private static int number(String properties, String name) {
        Matcher line = Pattern.compile("(?m)^" + name + " (\\d{1,9})$").matcher(properties);
        return line.find() ? Integer.parseInt(line.group(1)) : 0;
    }

    private String version() {
        for (String file : VERSION_FILES) {
            String version = machine.text(file).strip();
            if (!version.isEmpty()) {
                return "ROCm " + version;
            }
        }
        String module = machine.text("/sys/module/amdgpu/version").strip();
        return module.isEmpty() ? "AMD's compute driver" : "AMD's driver " + module;
    }
}

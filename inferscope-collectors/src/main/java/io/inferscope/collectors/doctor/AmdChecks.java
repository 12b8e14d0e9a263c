package io.inferscope.collectors.doctor;

import java.util.List;

/** AMD's GPUs: recorded through PyTorch's profiler, or by rocprofv3 and imported. */
record AmdChecks(Machine machine) {
    private static final String ID = "rocm";
    private static final List<String> VERSION_FILES = List.of("/opt/rocm/.info/version", "/opt/rocm/.info/version-dev");

    /** Checks whether work on AMD's GPUs can be recorded. */
    Check rocm(TorchBuild torch) {
        int onBus = NvidiaDriver.onBus(machine, NvidiaDriver.AMD);
        boolean compute = machine.exists("/dev/kfd");
        if (!compute && onBus == 0) {
            return Check.absent(ID, "no AMD GPU here");
        }
        if (!compute) {
            String remedy = HostChecks.isContainer(machine)
                    ? "start the container with --device=/dev/kfd --device=/dev/dri"
                    : "load the driver: modprobe amdgpu";
            return Check.fails(
                    ID, "an AMD GPU is on the PCI bus, but its compute driver's /dev/kfd is missing", remedy);
        }
        if (!machine.isOpen("/dev/kfd")) {
            return Check.fails(
                    ID,
                    "this user may not open /dev/kfd",
                    "join its group: sudo usermod -aG render,video USER, then log in again");
        }
        String rocm = version();
        if (torch.hip().isEmpty()) {
            return Check.limited(
                    ID,
                    rocm + "; torch for HIP is not installed for the command's interpreter",
                    "record with rocprofv3 --runtime-trace -- COMMAND, and analyze what it writes");
        }
        return Check.limited(
                ID,
                rocm + ", " + torch.describe()
                        + ": kernels and copies in windows of PyTorch's profiler (inferscope run opens them)",
                "for all of a run: rocprofv3 --runtime-trace -- COMMAND, and analyze what it writes");
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

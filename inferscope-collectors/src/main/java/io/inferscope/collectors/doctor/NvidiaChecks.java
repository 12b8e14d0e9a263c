package io.inferscope.collectors.doctor;

import io.inferscope.timeline.spool.CuptiDefects.Defect;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The CUDA agent and NVML. */
final class NvidiaChecks {
    private static final String AGENT = "cuda-agent";
    private static final String NVML = "nvml";
    private static final String INJECTION = "CUDA_INJECTION64_PATH";
    private static final String CONTAINER =
            "start the container with the GPU: docker run --gpus all, or a request for nvidia.com/gpu";

    private final Machine machine;
    private final NvidiaDriver driver;
    private final boolean contained;

    NvidiaChecks(Machine machine, NvidiaDriver driver) {
        this.machine = machine;
        this.driver = driver;
        contained = HostChecks.isContainer(machine);
    }

    /** Checks whether kernels, copies and synchronisation of CUDA programs can be recorded. */
    CollectorCheck agent(String agentFile, List<String> sites) {
        CollectorCheck usable = usable(AGENT);
        if (!usable.isThere()) {
            return usable;
        }
        if (agentFile.isEmpty()) {
            return CollectorCheck.fails(
                    AGENT,
                    found() + ", but this installation holds no CUDA agent for this processor",
                    "install InferScope whole, or record with inferscope run --ops");
        }
        String other = machine.variable(INJECTION);
        if (!other.isEmpty() && !other.equals(agentFile)) {
            return CollectorCheck.fails(
                    AGENT, INJECTION + " names another profiler, which is left in its place: " + other, "unset it");
        }
        return library(CuptiLibrary.find(machine, sites));
    }

    /** Checks whether the program can use a device. */
    CollectorCheck usable(String id) {
        CollectorCheck device = device(id);
        if (device != null) {
            return device;
        }
        String hidden = hidden();
        return hidden.isEmpty()
                ? CollectorCheck.works(id, found())
                : CollectorCheck.fails(id, hidden, "unset CUDA_VISIBLE_DEVICES, or name a GPU in it");
    }

    private CollectorCheck library(List<CuptiLibrary> libraries) {
        if (libraries.isEmpty()) {
            return CollectorCheck.fails(
                    AGENT,
                    found()
                            + "; no libcupti is beside the command's CUDA, where the linker looks, or in a CUDA toolkit",
                    "install it for the command's interpreter: pip install nvidia-cuda-cupti (CUDA 12: nvidia-cuda-cupti-cu12)");
        }
        for (CuptiLibrary library : libraries) {
            if (library.worksWith(driver)) {
                return limits(found() + "; " + library.describe(), library.defects(machine));
            }
        }
        CuptiLibrary first = libraries.get(0);
        return CollectorCheck.fails(
                AGENT,
                found() + "; " + first.describe() + " needs driver " + first.oldestDriver() + " or newer",
                "update the driver, or use CUDA " + (first.major() - 1) + " in the command's environment");
    }

    /** Checks for limits that make a device's record partial. */
    private CollectorCheck limits(String held, List<Defect> defects) {
        List<String> limits = new ArrayList<>();
        List<String> remedies = new ArrayList<>();
        for (Defect defect : defects) {
            limits.add("known defect of this libcupti: " + defect.what());
            remedies.add(defect.remedy());
        }
        if (driver.migInstances() > 0) {
            limits.add(driver.migInstances()
                    + " MIG instances: each is recorded as a device, if it shares its engines with no other");
            remedies.add("use a compute instance as large as its GPU instance (nvidia-smi mig -lci)");
        }
        if (driver.isVirtual()) {
            limits.add("a virtual GPU: it can be recorded if the hypervisor permits");
            remedies.add("have profiling permitted for the virtual GPU (enable_profiling of its configuration)");
        }
        if (driver.wsl()) {
            limits.add("WSL: the driver is that of Windows");
            remedies.add(
                    "permit GPU performance counters for all users in NVIDIA's control panel if nothing is recorded");
        }
        if (!limits.isEmpty()) {
            return CollectorCheck.limited(AGENT, held + "; " + String.join("; ", limits), String.join("; ", remedies));
        }
        String counters = driver.countersForAdmin()
                ? "; hardware counters are for the administrator (RmProfilingAdminOnly 1), which tracing does not need"
                : "";
        return CollectorCheck.works(AGENT, held + counters);
    }

    /** Checks whether the driver's own counters can be read. */
    CollectorCheck nvml() {
        CollectorCheck device = device(NVML);
        if (device != null) {
            return device;
        }
        String library = Libraries.find(machine, "libnvidia-ml.so.1");
        if (library.isEmpty()) {
            String remedy = contained
                    ? "pass NVIDIA_DRIVER_CAPABILITIES=compute,utility to the container"
                    : "install the driver's user-mode part of version " + driver.version();
            return CollectorCheck.fails(NVML, found() + ", but libnvidia-ml.so.1 is missing", remedy);
        }
        if (driver.migInstances() > 0) {
            return CollectorCheck.limited(
                    NVML,
                    library + ": memory, clocks and power; the driver reports no utilisation while MIG is on",
                    "");
        }
        return CollectorCheck.works(
                NVML, library + ": utilisation, clocks, power, memory, PCIe and ECC of " + driver.devices());
    }

    /** Returns the problem with devices or driver, null if a device can be used. */
    private @Nullable CollectorCheck device(String id) {
        if (!driver.isAnything()) {
            return CollectorCheck.absent(id, "no NVIDIA GPU here");
        }
        if (driver.version().isEmpty() && !driver.wsl()) {
            return CollectorCheck.fails(
                    id,
                    "an NVIDIA GPU is on the PCI bus, but its driver is not loaded (/proc/driver/nvidia/version is missing)",
                    "install or load the driver: modprobe nvidia");
        }
        if (!driver.hasDevice()) {
            String why = "the NVIDIA driver " + driver.version() + " is loaded, but there is no /dev/nvidia0";
            return contained
                    ? CollectorCheck.fails(id, why + " in this container", CONTAINER)
                    : CollectorCheck.fails(id, why, "make the device files: nvidia-modprobe -c 0 -u");
        }
        if (!driver.closed().isEmpty()) {
            return CollectorCheck.fails(
                    id,
                    "this user may not open " + String.join(", ", driver.closed()),
                    "join the group that owns them (often video or render), or have the administrator permit it");
        }
        if (driver.library().isEmpty()) {
            String remedy =
                    contained ? CONTAINER : "install the driver's user-mode part of version " + driver.version();
            return CollectorCheck.fails(
                    id, "the driver " + driver.version() + " is loaded, but libcuda.so.1 is missing", remedy);
        }
        return null;
    }

    private String hidden() {
        String visible = machine.variable("CUDA_VISIBLE_DEVICES").strip();
        boolean none = machine.isSet("CUDA_VISIBLE_DEVICES") && (visible.isEmpty() || visible.startsWith("-1"));
        return none ? "CUDA_VISIBLE_DEVICES is '" + visible + "': the program sees no GPU" : "";
    }

    private String found() {
        String version = driver.version().isEmpty() ? "" : ", driver " + driver.version();
        return driver.devices() + version;
    }
}
